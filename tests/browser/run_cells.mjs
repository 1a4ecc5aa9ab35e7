// Runs a Python file in Pyodide under Node: node run_cells.mjs PYODIDE FOLDER FILE [PACKAGE …]; FOLDER is /host there.
import fs from "fs";
import path from "path";
import { pathToFileURL } from "url";

const [pyodide, folder, file, ...packages] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: pyodide + path.sep });
await python.loadPackage(packages, { messageCallback() {} });
python.mountNodeFS("/host", folder);
await python.runPythonAsync(fs.readFileSync(file, "utf8"));
