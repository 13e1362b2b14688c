/** Shows the articles of the chosen states that hold every typed word. Without it everything is shown. */
export const script = `
const form = document.querySelector('form');
const articles = [...document.querySelectorAll('article')];
const texts = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
function show() {
  const words = form.elements.words.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const states = [...form.querySelectorAll('[name=state]:checked')].map((box) => box.value);
  for (const article of articles) {
    article.hidden = !states.includes(article.dataset.state) || !words.every((word) => texts.get(article).includes(word));
  }
  form.querySelector('output').value = articles.filter((article) => !article.hidden).length + ' of ' + articles.length;
}
form.addEventListener('input', show);
form.addEventListener('submit', (event) => event.preventDefault());
form.hidden = false;
show();
`;
