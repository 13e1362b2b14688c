/** Answers by what was given for them, one argument after the other. Objects are held weakly: facts go with their run. */
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

/** A pure function that is asked the same again and again: each answer is made once for the very same arguments. */
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
 * What follows from facts and is asked for by many checks in turn: made once for the very same facts.
 *
 * @param names the facts that it rests on.
 */
export function derive<World extends object, About extends readonly unknown[], Answer>(
  names: readonly (keyof World)[],
  answer: (facts: World, ...about: About) => Answer,
): (facts: World, ...about: About) => Answer {
  const all: Answers<Answer> = {};
  return (facts, ...about) => {
    let answers = all;
    for (const name of names) answers = under(answers, facts[name]);
    for (const given of about) answers = under(answers, given);
    answers.found ??= { answer: answer(facts, ...about) };
    return answers.found.answer;
  };
}
