// node search_queries.js SITE QUERY ...: the places that the search of a site finds, best first, as JSON.
const fs = require("fs"), vm = require("vm");
const [site, ...queries] = process.argv.slice(2);
const page = { document: { getElementById: () => null }, localStorage: { setItem() {} }, SPHINX_HIGHLIGHT_ENABLED: false,
  _ready() {}, _: text => text };
page.window = page;
vm.createContext(page);
for (const file of ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"])
  vm.runInContext(fs.readFileSync(`${site}/${file}`, "utf8"), page);
const found = {};
for (const query of queries) {
  page.query = query;
  const results = vm.runInContext("Search._performSearch(...Search._parseQuery(query))", page);
  found[query] = results.reverse().map(([name, title, anchor]) => name + anchor);
}
console.log(JSON.stringify(found));
