import type { CallError } from '../apiserver/sentences/call-error.ts';
import { errorTexts } from '../apiserver/sentences/error-texts.ts';
import { shellWord } from '../facts/advice.ts';
import type { ExplainedText, LikelyCause } from './explanation.ts';
import {
  classOf,
  isAftermath,
  linkOf,
  meansOf,
  type Recognised,
  recogniseAll,
  withShared,
} from './recognise.ts';
import { recordsOf } from './records.ts';

/** Longest part of the input that is repeated. */
const longestText = 1_000;
/** More would be no help. */
const mostCauses = 8;
const mostBehind = 12;

/** What a call error or a text is about, as logs and clusters name it. */
export interface NamedInText {
  /** The webhook's name; for a conversion `Kind in group/version`; the Service, where no name was told. */
  readonly name: string;
  readonly kind: 'webhook' | 'conversion' | 'service';
  readonly service?: CallError['service'];
}

/** Undefined where the text names nothing. Only conversions have the kind of an object. */
export function nameInText({
  webhook,
  service,
  groupVersion,
  objectKind,
}: Pick<CallError, 'webhook' | 'service' | 'groupVersion' | 'objectKind'>): NamedInText | undefined {
  if (webhook !== undefined) return { kind: 'webhook', name: webhook };
  if (objectKind !== undefined) return { kind: 'conversion', name: `${objectKind} in ${groupVersion}` };
  return service && { kind: 'service', name: `${service.namespace}/${service.name}`, service };
}

/** Names a webhook, a Service or an API, so that a cluster can be searched for it. */
const namesOne = ({ webhook, service, groupVersion }: ExplainedText): boolean =>
  webhook !== undefined || service !== undefined || groupVersion !== undefined;

type Named = Partial<
  Pick<CallError, 'kind' | 'webhook' | 'service' | 'groupVersion' | 'objectKind' | 'message'>
>;

function namesIn(found: Recognised): Named {
  if (found.of !== 'component' || found.error !== undefined) return found.error ?? {};
  const { webhook, group, version } = found.component.pattern.exec(found.text)?.groups ?? {};
  if (webhook !== undefined) return { webhook };
  return group === undefined ? {} : { kind: 'apiservice', groupVersion: `${group}/${version}` };
}

/** How doctor takes what a text is about; undefined where the text names nothing. */
function nameFor({ kind, webhook, service, groupVersion }: Named): string | undefined {
  const [group, version] = groupVersion?.split('/') ?? [];
  if (kind === 'apiservice' && version !== undefined) return `apiservice/${version}.${group}`;
  return webhook ?? (service && `${service.namespace}/${service.name}`);
}

function commandsFor(
  found: Recognised,
  causes: readonly LikelyCause[],
  about: string | undefined,
): readonly string[] {
  const kind = found.error?.cause?.kind;
  const { next: own = [] } =
    found.of === 'component'
      ? found.component
      : kind === undefined || kind === 'other'
        ? {}
        : errorTexts[kind];
  const [first] = causes;
  const isOurs = (command: string): boolean => command.startsWith('kubectl webhook ');
  return [
    ...own.filter(isOurs),
    `kubectl webhook doctor${about === undefined ? '' : ` ${shellWord(about)}`}`,
    ...(first === undefined ? [] : [`kubectl webhook checks ${first.check}`]),
    ...own.filter((command) => !isOurs(command)),
  ];
}

/** Ids of checks that may stand behind a recognised text, likeliest first, with their titles. */
export type CausesOf = (
  found: Recognised,
) => readonly { readonly id: string; readonly title: string; readonly behind?: readonly string[] }[];

/** What one recognised text means. */
export function explainRecognised(found: Recognised, causesOf: CausesOf): ExplainedText {
  const likeliest = causesOf(found).slice(0, mostCauses);
  const listed = new Set(likeliest.map(({ id }) => id));
  const causes = likeliest.map(({ id, title, behind = [] }, index): LikelyCause => {
    const others = behind.filter((check) => !listed.has(check)).slice(0, mostBehind);
    return { check: id, title, likely: index + 1, ...(others.length === 0 ? {} : { behind: others }) };
  });
  const named = namesIn(found);
  return {
    text: found.text.slice(0, longestText),
    class: classOf(found),
    ...(named.webhook === undefined ? {} : { webhook: named.webhook }),
    ...(named.service === undefined ? {} : { service: named.service }),
    ...(named.groupVersion === undefined ? {} : { groupVersion: named.groupVersion }),
    ...(named.objectKind === undefined ? {} : { objectKind: named.objectKind }),
    link: linkOf(found),
    means: meansOf(found),
    ...(named.kind === 'denial' && named.message !== undefined ? { denial: named.message } : {}),
    causes,
    commands: commandsFor(found, causes, nameFor(named)),
  };
}

/** The same failure, told twice. */
const sameAs = ({ class: sort, webhook, service, means }: ExplainedText): string =>
  JSON.stringify([sort, webhook, service?.namespace, service?.name, means]);

/**
 * Every known text in what was pasted, each once, those that name a webhook first, and what follows from others last;
 * and how many records were not read.
 */
export function explainTexts(
  input: string,
  causesOf: CausesOf,
): { readonly texts: readonly ExplainedText[]; readonly notRead: number } {
  const all = new Map<string, ExplainedText>();
  const { records, notRead } = recordsOf(input);
  const found = withShared(records.flatMap(recogniseAll));
  for (const one of found.toSorted((a, b) => Number(isAftermath(a)) - Number(isAftermath(b)))) {
    const text = explainRecognised(one, causesOf);
    const key = sameAs(text);
    if (!all.has(key)) all.set(key, text);
  }
  const texts = [...all.values()].sort((a, b) => Number(namesOne(b)) - Number(namesOne(a)));
  return { texts, notRead };
}
