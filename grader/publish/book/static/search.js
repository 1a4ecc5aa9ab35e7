// What is called by a word comes first, then the sections that say it most often, each with what stands around the word.
// texts.js has each page's sections, [title, text] by their ids: it can be read from a disk, too, and has nothing of the
// frame around a page. Sphinx's own search, which is loaded after this, calls what is set here.
const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
const stems = () => splitQuery(asked).map(word => new Stemmer().stemWord(word));
const times = (text, word) => text.toLowerCase().split(word).length - 1;

// How much a section has to do with the words: what it is called counts as much as twenty mentions.
const weight = ([title, text], words) => words.reduce((sum, word) =>
  sum + (times(title, word) ? 20 : 0) + Math.min(times(text, word), 15), 0) / words.length;

var Scorer = {
  title: 60, partialTitle: 10, objNameMatch: 55, objPartialMatch: 3, objPrio: {}, objPrioDefault: 0, term: 5, partialTerm: 2,
  score: result => {
    const [page, title, , , score, , kind] = result;
    if (kind !== "text") return score;
    // Sphinx names the page: the reader is led to the section in it.
    const found = Object.entries(texts[page]).map(([id, said]) => [id, said[0], weight(said, stems())]);
    const [id, name, most] = found.reduce((best, one) => one[2] > best[2] ? one : best);
    if (name !== title) [result[1], result[2]] = [`${title} > ${name}`, `#${id}`];
    return most;
  },
};

const excerpt = (text, words) => {
  const lower = text.toLowerCase();
  const at = [asked, ...words].map(word => lower.indexOf(word)).find(place => place >= 0) ?? 0;
  const start = at < 90 ? 0 : text.indexOf(" ", at - 90) + 1;
  const end = start + 240 >= text.length ? text.length : text.lastIndexOf(" ", start + 240);
  return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
};

// Sphinx fetches the page to quote from it, and gets its name; the text is here.
window.fetch = async address => {
  const name = new URL(address, location).pathname;
  return new Response(Object.keys(texts).find(page => name.endsWith(`/${page}.html`)));
};

document.addEventListener("DOMContentLoaded", () => {
  Search.makeSearchSummary = (page, words, anchor) => {
    const quoted = document.createElement("p");
    quoted.className = "context";
    quoted.textContent = excerpt((texts[page][anchor.slice(1)] ?? Object.values(texts[page])[0])[1], [...words]);
    return quoted;
  };
});
