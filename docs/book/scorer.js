// Order of search results: names first, then words that lead to a page, then titles, then text.
var Scorer = {
  objNameMatch: 200, // a name of the package, exactly
  objPartialMatch: 8, // a part of one
  objPrio: { 0: 30, 1: 10, 2: 0 }, // everyday names, their members, others
  objPrioDefault: 0,
  // entries of the index have at most 100
  title: 60,
  partialTitle: 20,
  term: 5,
  partialTerm: 2,
  // guides come before chapters on methods, and these before records of decisions
  score: ([page, title, anchor, description, score]) =>
    score + (/^(why|documents)\/|^(coverage|ir|design)$/.test(page) ? -2 : page.includes("/") ? 0 : 1),
};
