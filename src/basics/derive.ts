/** A cache of results by arguments. It holds objects weakly, so that facts can be freed after a run. */
interface Answers<Answer> {
  byObject?: WeakMap<object, Answers<Answer>>;
  byValue?: Map<unknown, Answers<Answer>>;
  found?: { readonly answer: Answer };
}

function under<Answer>(answers: Answers<Answer>, given: unknown): Answers<Answer> {
  if (typeof given === 'object' && given !== null) {
    answers.byObject ??= new WeakMap();
    const known = answers.byObject.get(given);
    if (known !== undefined) return known;
    const made: Answers<Answer> = {};
    answers.byObject.set(given, made);
    return made;
  }
  answers.byValue ??= new Map();
  const known = answers.byValue.get(given);
  if (known !== undefined) return known;
  const made: Answers<Answer> = {};
  answers.byValue.set(given, made);
  return made;
}

/** Caches the results of a pure function by its arguments, objects by identity. */
export function remembered<Question extends readonly unknown[], Answer>(
  answer: (...question: Question) => Answer,
): (...question: Question) => Answer {
  const all: Answers<Answer> = {};
  return (...question) => {
    let answers = all;
    for (const given of question) answers = under(answers, given);
    answers.found ??= { answer: answer(...question) };
    return answers.found.answer;
  };
}

/**
 * Caches a value that many checks derive from facts: it is computed once for the same facts.
 *
 * @param names the facts that it depends on.
 */
export function derive<World extends object, About extends readonly unknown[], Answer>(
  names: readonly (keyof World)[],
  answer: (facts: World, ...about: About) => Answer,
): (facts: World, ...about: About) => Answer {
  const all: Answers<Answer> = {};
  // A check passes the same object of facts for each of its subjects.
  const byFacts = new WeakMap<World, Answers<Answer>>();
  return (facts, ...about) => {
    let answers = byFacts.get(facts);
    if (answers === undefined) {
      answers = all;
      for (const name of names) answers = under(answers, facts[name]);
      byFacts.set(facts, answers);
    }
    for (const given of about) answers = under(answers, given);
    answers.found ??= { answer: answer(facts, ...about) };
    return answers.found.answer;
  };
}
