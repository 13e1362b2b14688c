/** A command that is printed for people. */
export interface Command {
  /** As a shell takes it; what is not known stands in capitals. */
  readonly text: string;
  /** Whether it can be run as it stands. */
  readonly runnable: boolean;
  /** What somebody must fill in first. */
  readonly placeholders: readonly string[];
}

/** What commands name: the words that stand for it where nothing is known of it. */
const words = {
  kind: 'KIND',
  configuration: 'NAME',
  namespace: 'NAMESPACE',
  service: 'NAME',
  workload: 'deployment/NAME',
  pod: 'POD',
  container: 'CONTAINER',
  node: 'NODE',
  slice: 'NAME',
  secret: 'NAME',
  certificate: 'NAME',
  host: 'SERVICE.NAMESPACE.svc',
  key: 'KEY',
  resource: 'PLURAL',
  stored: 'PLURAL.VERSION.GROUP',
  verb: 'VERB',
  right: 'RESOURCE',
  user: 'system:serviceaccount:NAMESPACE:NAME',
  affected: 'deployment/NAME',
  place: 'NAMESPACE',
  port: 'PORT',
  job: 'NAME',
  chosen: 'NAME',
  label: 'KEY=VALUE',
} as const;
export type Name = keyof typeof words;
export type Names = { readonly [N in Name]?: string | undefined };

/** What is known of every callout, and what only whoever runs the command can choose. */
type Given = 'kind' | 'configuration' | 'namespace' | 'service' | 'workload' | 'chosen' | 'label';
type NamesIn<Text extends string> = Text extends `${string}{${infer Found}}${infer Rest}`
  ? Extract<Found, Name> | NamesIn<Rest>
  : never;

/** What stands between the prose: a command, or something else in code. */
type Quoted = string | { readonly code: string };

/** What to do: prose, and between its parts the commands, with `{names}` in them. */
export interface Advice<Q extends readonly Quoted[] = readonly Quoted[]> {
  readonly prose: readonly string[];
  readonly quoted: Q;
}

/** Names in an advice that only the finding can tell: all but those of the callout. */
export type OwnNames<A> =
  A extends Advice<infer Q>
    ? Exclude<
        NamesIn<{ [I in keyof Q]: Q[I] extends { readonly code: infer C } ? C : Q[I] }[number] & string>,
        Given
      >
    : never;

/** An advice with commands: `` advise`Read its log: ${'kubectl -n {namespace} logs {pod}'}.` `` */
export const advise = <const Q extends readonly Quoted[]>(
  prose: TemplateStringsArray,
  ...quoted: Q
): Advice<Q> => ({
  prose,
  quoted,
});

/** A word as a POSIX shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A command with these names. */
export function commandOf(template: string, names: Names): Command {
  const placeholders: string[] = [];
  const text = template.replace(/\{([a-z]+)\}/g, (whole, name: string) => {
    const known = names[name as Name];
    if (known !== undefined) return shellWord(known);
    if (!Object.hasOwn(words, name)) return whole;
    placeholders.push(words[name as Name]);
    return words[name as Name];
  });
  return { text, runnable: placeholders.length === 0, placeholders };
}

/** Prose, code and commands in the order of reading. */
export type AdvicePart = string | Command | { readonly code: string };

/** An advice, and what its commands name. */
export interface FilledAdvice {
  readonly text: string | Advice;
  readonly names: Names;
}

export function adviceParts({ text, names }: FilledAdvice): readonly AdvicePart[] {
  if (typeof text === 'string') return [text];
  return text.prose.flatMap((part, at): readonly AdvicePart[] => {
    const next = text.quoted[at];
    if (next === undefined) return [part];
    return [
      part,
      typeof next === 'string' ? commandOf(next, names) : { code: commandOf(next.code, names).text },
    ];
  });
}

/** One text, code and commands in backticks. */
export const adviceText = (advice: FilledAdvice): string =>
  adviceParts(advice)
    .map((part) => (typeof part === 'string' ? part : `\`${'code' in part ? part.code : part.text}\``))
    .join('');

/** The commands of an advice. */
export const commandsOf = (advice: FilledAdvice): readonly Command[] =>
  adviceParts(advice).filter((part) => typeof part === 'object' && 'runnable' in part);

/** One advice for several findings of a check: it names what they have in common. */
export const sharedAdvice = ([first, ...others]: readonly [
  FilledAdvice,
  ...FilledAdvice[],
]): FilledAdvice => ({
  text: first.text,
  names: Object.fromEntries(
    Object.entries(first.names).filter(([name, value]) =>
      others.every(({ names }) => names[name as Name] === value),
    ),
  ),
});
