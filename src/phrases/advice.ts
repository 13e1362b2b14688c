import { remembered } from '../basics/derive.ts';
import { andMore } from './lists.ts';

/** A command that is printed for people. */
export interface Command {
  /** The command for a shell; unknown values are in capitals. */
  readonly text: string;
  /** True if it has no placeholders. */
  readonly runnable: boolean;
  readonly placeholders: readonly string[];
}

/** The names in commands, with the placeholder for each unknown one. */
const words = {
  kind: 'KIND',
  configuration: 'NAME',
  error: 'ERROR',
  leftover: 'NAME',
  admission: 'NAME',
  crd: 'NAME',
  namespace: 'NAMESPACE',
  service: 'NAME',
  former: 'NAME',
  workload: 'deployment/NAME',
  backend: 'deployment/NAME',
  revised: 'deployment/NAME',
  probed: 'deployment/NAME',
  api: 'apiservice/NAME',
  holder: 'POD',
  pod: 'POD',
  container: 'CONTAINER',
  node: 'NODE',
  taint: 'KEY',
  slice: 'NAME',
  secret: 'NAME',
  claim: 'NAME',
  certificate: 'NAME',
  host: 'SERVICE.NAMESPACE.svc',
  key: 'KEY',
  resource: 'PLURAL',
  stored: 'PLURAL.VERSION.GROUP',
  object: 'NAME',
  user: 'system:serviceaccount:NAMESPACE:NAME',
  account: 'NAMESPACE:NAME',
  role: 'NAME',
  clusterrole: 'NAME',
  verbs: 'VERBS',
  serviceaccount: 'NAME',
  defaulted: 'deployment/NAME',
  outside: 'deployment/NAME',
  setting: 'NAME',
  affected: 'deployment/NAME',
  source: 'endpointslice/NAME',
  mounted: 'configmap/NAME',
  variables: 'configmap/NAME',
  policy: 'networkpolicy/NAME',
  cilium: 'ciliumnetworkpolicy/NAME',
  calico: 'networkpolicy.crd.projectcalico.org/NAME',
  place: 'NAMESPACE',
  port: 'PORT',
  target: 'PORT',
  address: 'POD-ADDRESS:PORT',
  job: 'NAME',
  lease: 'NAME',
  quota: 'NAME',
  binding: 'NAME',
  missing: 'NAME',
  issuing: 'NAMESPACE',
  metered: 'NAMESPACE',
  chosen: 'NAME',
  label: 'KEY=VALUE',
  labels: 'KEY=VALUE',
  blocker: 'WEBHOOK',
} as const;
/** A name that advice contains in braces: `{namespace}`. */
export type Name = keyof typeof words;
/** Values of the names in advice; an unknown one is printed as its placeholder. */
export type Names = { readonly [N in Name]?: string | undefined };

/** Names that are known for every callout, and names that only the user can choose. */
type Given =
  | 'kind'
  | 'configuration'
  | 'leftover'
  | 'admission'
  | 'crd'
  | 'namespace'
  | 'service'
  | 'workload'
  | 'backend'
  | 'revised'
  | 'issuing'
  | 'metered'
  | 'chosen'
  | 'label';
type NamesIn<Text extends string> = Text extends `${string}{${infer Found}}${infer Rest}`
  ? Extract<Found, Name> | NamesIn<Rest>
  : never;

/** Names in an advice that only the finding can fill in: all but those of the callout. */
export type OwnNames<Text extends string> = Exclude<NamesIn<Text>, Given>;

/** A word quoted for a POSIX shell. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The parts of a command: texts, and at odd places names in braces. */
const partsOfCommand = remembered((template: string): readonly string[] => template.split(/\{([a-z]+)\}/));

/** A command with these names. */
export function commandOf(template: string, names: Names): Command {
  const placeholders: string[] = [];
  const parts = partsOfCommand(template).map((part, at) => {
    if (at % 2 === 0) return part;
    const known = names[part as Name];
    if (known !== undefined) return shellWord(known);
    if (!Object.hasOwn(words, part)) return `{${part}}`;
    placeholders.push(words[part as Name]);
    return words[part as Name];
  });
  return { text: parts.join(''), runnable: placeholders.length === 0, placeholders };
}

/** Prose, code and commands in the order of reading. */
export type AdvicePart = string | Command | { readonly code: string };

const programs = /^(kubectl|helm|timedatectl|chronyc)\b/;

/**
 * An advice, and the values of its `{names}`. Code in backticks that starts with a {@link programs} entry is
 * a command.
 */
export interface FilledAdvice {
  readonly text: string;
  readonly names: Names;
  /** The names of each finding, if several findings share the advice. */
  readonly each?: readonly Names[];
  /** Flags of kubectl that select the same cluster in each command, with a leading space: ` --context prod`. */
  readonly flags?: string;
}

/** Flags of helm that have another name than those of kubectl (helm.sh/docs/helm/helm). */
const helmFlags: Readonly<Record<string, string>> = {
  '--context': '--kube-context',
  '--as': '--kube-as-user',
  '--as-group': '--kube-as-group',
  '--server': '--kube-apiserver',
  '--certificate-authority': '--kube-ca-file',
  '--tls-server-name': '--kube-tls-server-name',
  '--insecure-skip-tls-verify': '--kube-insecure-skip-tls-verify',
};

/** A command with the flags at its end; in a pipe or before a command to execute, directly behind `kubectl`. */
export function withClusterFlags(text: string, flags: string): string {
  if (flags === '' || !/^(?:kubectl (?!webhook checks )|helm )/.test(text)) return text;
  if (text.startsWith('helm '))
    return `helm${flags.replace(/(?<= )--[a-z-]+/g, (flag) => helmFlags[flag] ?? flag)}${text.slice('helm'.length)}`;
  return /[|;&(]| -- /.test(text)
    ? text.replace(/(?<=^|[|;&(] ?)kubectl (?!webhook )/g, () => `kubectl${flags} `)
    : `${text}${flags}`;
}

/** A command is repeated for this many findings; of more, their number is given. */
const mostRepeated = 3;

/**
 * The command for each finding with different names, divided by `between`; undefined if a name is unknown. Findings
 * without its {@link conditional} names have no such sentence.
 */
function repeated(
  template: string,
  each: readonly Names[],
  between: string,
): readonly AdvicePart[] | undefined {
  const needs = conditional.filter((name) => template.includes(`{${name}}`));
  const told = each.filter((names) => needs.every((name) => names[name] !== undefined));
  const commands = new Map(told.map((names) => commandOf(template, names)).map((one) => [one.text, one]));
  const all = [...commands.values()];
  if (all.length === 0 || !all.every(({ runnable }) => runnable)) return undefined;
  const shown = all
    .slice(0, mostRepeated)
    .flatMap((command, at) => (at === 0 ? [command] : [between, command]));
  const others = all.length - mostRepeated;
  return others > 0 ? [...shown, `${between === ' ' ? ';' : ''} ${andMore(others)}`] : shown;
}

/** What divides repeated commands. One inside a sentence stays in it: as an alternative, if only one object is meant. */
function betweenCommands(before = ''): string {
  if (/(^ ?|: )$/.test(before)) return ' ';
  return /\bone (?:of|that) [^.]*\($/.test(before) ? ' or ' : ', ';
}

/** The texts of an advice between its backticks; those at odd places are code. Findings of a check share it. */
const codeAndProse = remembered((text: string): readonly string[] => text.split('`'));

/** Splits an advice at its backticks, and fills in the names. */
export const adviceParts = ({ text, names, each = [], flags = '' }: FilledAdvice): readonly AdvicePart[] =>
  codeAndProse(text).flatMap((part, at, parts): AdvicePart | readonly AdvicePart[] => {
    if (at % 2 === 0) return part;
    // Not a command of kubectl: one example is enough.
    if (!programs.test(part)) return { code: commandOf(part, { ...each[0], ...names }).text };
    const template = withClusterFlags(part, flags);
    const command = commandOf(template, names);
    if (command.runnable || each.length === 0) return command;
    return repeated(template, each, betweenCommands(parts[at - 1])) ?? command;
  });

/** The advice as one text, with code and commands in backticks. */
export const adviceText = (advice: FilledAdvice, parts = adviceParts(advice)): string =>
  parts
    .map((part) => (typeof part === 'string' ? part : `\`${'code' in part ? part.code : part.text}\``))
    .join('');

/** The commands of an advice in order, including those with placeholders. */
export const commandsOf = (advice: FilledAdvice, parts = adviceParts(advice)): readonly Command[] =>
  parts.filter((part) => typeof part === 'object' && 'runnable' in part);

/**
 * Names whose sentence applies only if they are known: an object to delete that contains no others, a configuration of
 * admission webhooks, a CRD, an earlier revision, a backend with Pods, a probe that stops the process, a ConfigMap with variables, a namespace in a cluster with
 * cert-manager or with a metrics API, the kind of a policy, the kind of a role, a workload without a ServiceAccount
 * of its own or with requests for another namespace, a taint that a person set.
 */
const conditional: readonly Name[] = [
  'leftover',
  'admission',
  'crd',
  'revised',
  'backend',
  'probed',
  'variables',
  'api',
  'issuing',
  'metered',
  'role',
  'clusterrole',
  'defaulted',
  'outside',
  'taint',
  'holder',
  'lease',
  'policy',
  'cilium',
  'calico',
];

/** Divides the sentences of an advice. */
export const endOfSentence = /(?<=\.) (?=[A-Z])/;

/** The sentences of an advice, each with its {@link conditional} names: findings of a check share the text. */
const sentencesOf = remembered((advice: string) =>
  advice.split(endOfSentence).map((text) => ({
    text,
    needs: conditional.filter((name) => text.includes(`{${name}}`)),
  })),
);

/** A command that edits probes, ports, arguments or mounts. */
const editsTemplate = /: `kubectl -n \{namespace\} edit \{probed\}`\./;

/**
 * An advice without such commands for a Pod of no workload: the API server refuses these changes
 * (kubernetes pkg/apis/core/validation ValidatePodUpdate).
 */
const forPodAlone = (text: string): string =>
  text
    .replace(
      editsTemplate,
      '. Most fields of a Pod are immutable: change its manifest, and create the Pod again.',
    )
    .replace(new RegExp(editsTemplate, 'g'), '.');

/** Removes the sentences of conditional names that are unknown. */
export function applicableAdvice({ text: given, names, ...advice }: FilledAdvice): FilledAdvice {
  const text = names.probed?.startsWith('pod/') === true ? forPodAlone(given) : given;
  const sentences = sentencesOf(text).filter(({ needs }) => needs.every((name) => names[name] !== undefined));
  return { ...advice, text: sentences.map((sentence) => sentence.text).join(' '), names };
}

/** Joins the advice for findings of one check: fills in shared names, and repeats commands that differ. */
export const sharedAdvice = ([first, ...others]: readonly [
  FilledAdvice,
  ...FilledAdvice[],
]): FilledAdvice => ({
  ...first,
  each: [first, ...others].map(({ names }) => names),
  names: Object.fromEntries(
    Object.entries(first.names).filter(([name, value]) =>
      others.every(({ names }) => names[name as Name] === value),
    ),
  ),
});
