// The search asks for each page that it found, to quote from it. It gets the page's own text from texts.js, which can be
// read from a disk, too, and has nothing of the frame around it.
const escaped = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

window.fetch = async address => {
  const name = new URL(address, location).pathname;
  const page = Object.keys(texts).find(page => name.endsWith(`/${page}.html`));
  const sections = Object.entries(texts[page] ?? {}).map(([id, text]) => `<div id="${id}">${escaped(text)}</div>`);
  return new Response(`<div role="main">${sections.join("\n")}</div>`);
};
