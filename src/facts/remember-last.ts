/**
 * A question about facts that many checks ask in turn. The last answer is kept while the named facts are the very same
 * objects, as they are during one run.
 */
export function rememberLast<F extends object, R>(
  names: readonly (keyof F)[],
  answer: (facts: F) => R,
): (facts: F) => R {
  let last: { readonly given: readonly unknown[]; readonly answer: R } | undefined;
  return (facts) => {
    const given = names.map((name) => facts[name]);
    if (last === undefined || given.some((fact, at) => fact !== last?.given[at])) {
      last = { given, answer: answer(facts) };
    }
    return last.answer;
  };
}
