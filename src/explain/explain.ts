import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import { type ErrorText, errorTexts } from '../apiserver/sentences/call-error/error-texts.ts';
import type { KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';
import { forbiddenIn } from '../apiserver/sentences/logs/forbidden-request.ts';
import { objectName } from '../apiserver/sentences/pod-refusal-names.ts';
import { defined } from '../basics/collections.ts';
import { isStaticWebhook } from '../facts/callout.ts';
import { metricsApis } from '../facts/metrics-api.ts';
import { namesForGrant } from '../facts/rbac-denial.ts';
import {
  applicableAdvice,
  commandsWith,
  type FilledAdvice,
  type Names,
  shellWord,
  stepTemplates,
} from '../phrases/advice.ts';
import { isConsequence, withContext } from './context.ts';
import type { ExplainedText, LikelyCause } from './explanation.ts';
import incidentCounts from './incident-counts.json' with { type: 'json' };
import { knownTextsOf } from './likely-causes.ts';
import { admitted, classOf, linkOf, meansOf } from './meaning.ts';
import { namesForPods, withNamesIn } from './names-in-text.ts';
import { recogniseAll } from './recognise.ts';
import type { RecognisedRecord } from './recognised-record.ts';
import { recordsOf } from './records.ts';

/** Maximum length of the input that is printed again. */
const longestText = 1_000;
/** Maximum number of causes. */
const mostCauses = 8;
const mostBehind = 16;

/** The object of a call error or text, in the notation of logs and clusters. */
export interface NamedInText {
  /**
   * The webhook's name; for a conversion `Kind in group/version`; for an APIService its `group/version`, or a
   * resource of its group; the Service if the text has no name, without its namespace if the text has none.
   */
  readonly name: string;
  readonly kind: 'webhook' | 'conversion' | 'service' | 'apiservice' | 'resource';
  readonly service?: CallError['service'];
}

/** `no endpoints available for service "policy"`: the text of a cause alone has no namespace. */
const bareService = /\bservice "(?<name>[a-z0-9-]+)"/;

/** The name of the Service that a text names, without its namespace. */
const serviceIn = ({ service }: Pick<Named, 'service'>, text: string): string | undefined =>
  service?.name ?? bareService.exec(text)?.groups?.name;

/** The object of a text; undefined if it names none. Only conversions have the kind of an object. */
export function nameInText({
  webhook,
  service,
  groupVersion,
  objectKind,
  resource,
  text = '',
}: Omit<Named, 'kind' | 'message'> & { readonly text?: string }): NamedInText | undefined {
  if (webhook !== undefined) return { kind: 'webhook', name: webhook, ...defined({ service }) };
  if (objectKind !== undefined) return { kind: 'conversion', name: `${objectKind} in ${groupVersion}` };
  if (service !== undefined)
    return { kind: 'service', name: `${service.namespace}/${service.name}`, service };
  if (groupVersion !== undefined) return { kind: 'apiservice', name: groupVersion };
  if (resource !== undefined) return { kind: 'resource', name: resource };
  const name = serviceIn({}, text);
  return name === undefined ? undefined : { kind: 'service', name };
}

/** Whether the text names a webhook, a Service or an API, by which a cluster can be searched. */
const namesOne = (text: ExplainedText): boolean => nameInText(text) !== undefined;

type Named = Partial<
  Pick<CallError, 'kind' | 'webhook' | 'service' | 'port' | 'groupVersion' | 'objectKind' | 'message'> &
    Pick<ExplainedText, 'resource'>
>;

/** A row of `kubectl get apiservices`. */
const row =
  /\b(?<version>v\d\w*)\.(?<group>[a-z][\w-]*(?:\.[\w-]+)+)\s+[a-z0-9-]+\/[a-z0-9-]+\s+(?:False|Unknown)\b/;

function namesIn(found: RecognisedRecord): Named {
  if (found.of !== 'component' || found.error !== undefined) return found.error ?? {};
  const { webhook, group, version, groupVersion, served, resource, metrics } = {
    ...row.exec(found.text)?.groups,
    ...found.component.pattern.exec(found.text)?.groups,
  };
  if (webhook !== undefined) return { webhook };
  if (resource !== undefined) return { resource };
  // An APIService or a CRD serves it.
  if (served !== undefined) return { groupVersion: served };
  const api = metricsApis.find(({ name }) => name === metrics);
  if (api !== undefined) return { resource: `metrics.${api.group}` };
  const named = group === undefined ? groupVersion : `${group}/${version}`;
  return named === undefined ? {} : { kind: 'apiservice', groupVersion: named };
}

/** The name of the APIService that a text is about: `VERSION.GROUP`. */
function apiServiceIn({ kind, groupVersion }: Named): string | undefined {
  const [group, version] = groupVersion?.split('/') ?? [];
  return kind === 'apiservice' && version !== undefined ? `${version}.${group}` : undefined;
}

/** A command with the names that the text contains instead of its placeholders. */
function filled(command: string, named: Named, text: string): string {
  const { service, port } = named;
  const values: Readonly<Record<string, string | undefined>> = {
    NAMESPACE: service?.namespace,
    SERVICE: serviceIn(named, text),
    PORT: service && String(port ?? 443),
    APISERVICE: apiServiceIn(named),
  };
  return command.replace(/\b[A-Z]+\b/g, (name) => shellWord(values[name] ?? name));
}

/** Whether a webhook can have the name. Names that were replaced in the text are not: "....", "<redacted>", "XXXX". */
const canBeName = new RegExp(`^${objectName}$`);

/** Texts of a program that sends requests to the API server: their URLs name the objects of these requests, not the program. */
const ofClient: ReadonlySet<KnownText> = new Set([
  'client-throttled',
  'api-server-unreachable',
  'api-server-not-trusted',
  'token-refused',
]);

/** The part of the text that names the objects for commands. */
const namingText = (found: RecognisedRecord): string =>
  found.of === 'component' && ofClient.has(found.component.kind)
    ? found.text.replace(/https?:\/\/\S+/g, '')
    : found.text;

/** The name of the object in the form that doctor accepts; undefined if the text names none. */
function nameFor(named: Named): string | undefined {
  const { webhook, service } = named;
  const apiService = apiServiceIn(named);
  if (apiService !== undefined) return `apiservice/${apiService}`;
  if (webhook !== undefined && canBeName.test(webhook)) return isStaticWebhook(webhook) ? undefined : webhook;
  return service && `${service.namespace}/${service.name}`;
}

/** What is known about the end of a failed call. */
function errorTextOf({ error }: RecognisedRecord): ErrorText | undefined {
  const kind = error?.cause?.kind;
  return kind === undefined || kind === 'other' ? undefined : errorTexts[kind];
}

/** Commands of this plugin also accept the name of the webhook in place of its configuration. */
const isOurs = (command: string): boolean => command.startsWith('kubectl webhook ');

function commandsFor(
  found: RecognisedRecord,
  causes: readonly LikelyCause[],
  named: Named,
): readonly string[] {
  const about = nameFor(named);
  const { next: own = [] } = found.of === 'component' ? found.component : (errorTextOf(found) ?? {});
  const [first] = causes;
  return [
    ...own.filter(isOurs),
    `kubectl webhook doctor${about === undefined ? '' : ` ${shellWord(about)}`}`,
    ...(first === undefined ? [] : [`kubectl webhook checks ${first.check}`]),
    ...own
      .filter((command) => !isOurs(command))
      .map((command) => withNamesIn(namingText(found), filled(command, named, namingText(found)))),
  ];
}

/** A check that may be the cause of a text; its advice, if wanted. */
interface PossibleCause {
  readonly id: string;
  readonly title: string;
  readonly behind?: readonly string[];
  readonly advice?: string;
}

/** Returns the checks that may be the cause of a recognised text, likeliest first. */
export type CausesOf = (found: RecognisedRecord) => readonly PossibleCause[];

/** Names of the object that refers to the backend. A CRD is not deleted: its objects are deleted with it. */
function objectNames(named: Named): Names {
  const apiService = apiServiceIn(named);
  if (apiService !== undefined) return { kind: 'apiservice', leftover: apiService };
  return named.kind === 'conversion' ? { kind: 'crd', crd: 'NAME' } : { leftover: 'NAME', admission: 'NAME' };
}

/** The manual steps of a cause, if it has any for this text: what the text does not name is a placeholder. */
function stepsFor(
  found: RecognisedRecord,
  advice: string | undefined,
  named: Named,
): FilledAdvice | undefined {
  if (advice === undefined) return undefined;
  const { service, webhook } = named;
  const text = namingText(found);
  const steps = stepTemplates(withNamesIn(text, advice));
  const configuring = commandsWith(steps, 'configuration');
  if (isStatic(named) && configuring.length > 0) return undefined;
  const forbidden = forbiddenIn(text);
  const apiService = apiServiceIn(named);
  const names = {
    ...objectNames(named),
    ...namesForPods(text),
    ...(forbidden === undefined ? {} : namesForGrant(forbidden)),
    ...defined({
      namespace: service?.namespace,
      issuing: service?.namespace,
      service: serviceIn(named, text),
      backend: service && `service/${service.name}`,
      host: service && `${service.name}.${service.namespace}.svc`,
      ...dialledIn(text),
      configuration: apiService ?? (configuring.every(isOurs) ? webhook : undefined),
    }),
  };
  const applicable = applicableAdvice({ steps, names });
  return applicable.steps.length === 0 ? undefined : applicable;
}

/** The address and the port of the Pod that the API server dialled: the port of a Service is usually 443. */
function dialledIn(text: string): Names {
  const { address, port } = /\bdial tcp (?<address>[\d.]+:(?<port>\d+)):/.exec(text)?.groups ?? {};
  return port === undefined || new RegExp(`\\.svc:${port}/`).test(text) || port === '443'
    ? {}
    : { address, port };
}

const isStatic = ({ webhook }: Named): boolean => webhook !== undefined && isStaticWebhook(webhook);

const onDisk =
  'The webhook is in a static manifest on the disk of the API server (`--admission-control-config-file`); no API returns it: edit the file on each control plane node.';

const counts: Readonly<
  Record<string, { readonly incidents: number; readonly checks: Readonly<Record<string, number>> }>
> = incidentCounts;

/** Whether more than the known text decides about the causes: then the incidents with that text are others. */
const isDecidedByMore = (found: RecognisedRecord): boolean =>
  found.circumstances !== undefined ||
  (found.of === 'call' &&
    [found.nearby, found.context, found.refusedPod, found.isHeartbeat, found.isCreation].some(
      (one) => one !== undefined,
    )) ||
  found.error?.kind === 'conversion';

/** The public incidents with this text and cause: only if most of them had this cause, and no other one is as frequent. */
function incidentsOf(found: RecognisedRecord, check = ''): ExplainedText['incidents'] {
  const [text = ''] = knownTextsOf(found);
  const { incidents: known = 0, checks = {} } = counts[text] ?? {};
  const withLikeliest = checks[check] ?? 0;
  const isMost = 2 * withLikeliest >= known && withLikeliest >= Math.max(...Object.values(checks));
  return known === 0 || !isMost || isDecidedByMore(found) ? undefined : { known, withLikeliest };
}

/** The explanation of one recognised text. */
export function explainRecognised(found: RecognisedRecord, causesOf: CausesOf): ExplainedText {
  const likeliest = causesOf(found).slice(0, mostCauses);
  const listed = new Set(likeliest.map(({ id }) => id));
  const named = namesIn(found);
  const steps = found.of === 'call' ? errorTextOf(found)?.steps : undefined;
  const causes = likeliest.map(({ id, title, behind = [], advice }, index): LikelyCause => {
    const others = behind.filter((check) => !listed.has(check)).slice(0, mostBehind);
    return {
      check: id,
      title,
      likely: index + 1,
      ...(others.length === 0 ? {} : { behind: others }),
      ...defined({ advice: stepsFor(found, advice && (steps ?? advice), named) }),
    };
  });
  const { webhook, service, groupVersion, objectKind, resource } = named;
  return {
    text: found.text.slice(0, longestText),
    class: classOf(found),
    ...defined({ webhook, service, groupVersion, objectKind, resource }),
    link: linkOf(found),
    means: isStatic(named) ? `${meansOf(found)} ${onDisk}` : meansOf(found),
    ...(named.kind === 'denial' && named.message !== undefined ? { denial: named.message } : {}),
    causes,
    ...defined({ incidents: incidentsOf(found, causes[0]?.check) }),
    commands: commandsFor(found, causes, named),
  };
}

/** True for a denial that shows no failure of the webhook: refusals are its purpose. */
const isOrdinary = (found: RecognisedRecord): boolean =>
  found.of === 'call' &&
  found.error.kind === 'denial' &&
  (found.reason === undefined || found.reason.kind === 'denial-by-rule');

/** Whether two texts report the same failure. */
const sameAs = ({ class: sort, webhook, service, means }: ExplainedText): string =>
  JSON.stringify([sort, webhook, service?.namespace, service?.name, means.replace(` ${admitted}`, '')]);

/**
 * Finds every known text in the input, without duplicates: those that name a webhook first, failures before
 * denials, and consequences last. Also returns the number of records that were not read.
 */
export function explainTexts(
  input: string,
  causesOf: CausesOf,
): { readonly texts: readonly ExplainedText[]; readonly notRead: number } {
  const all = new Map<string, { readonly text: ExplainedText; readonly rank: number }>();
  const { records, notRead } = recordsOf(input);
  const found = withContext(records.flatMap(recogniseAll), input);
  for (const one of found.toSorted((a, b) => Number(isConsequence(a)) - Number(isConsequence(b)))) {
    const text = explainRecognised(one, causesOf);
    const key = sameAs(text);
    if (!all.has(key))
      all.set(key, { text, rank: namesOne(text) && !isConsequence(one) ? Number(isOrdinary(one)) : 2 });
  }
  const sorted = [...all.values()].sort((a, b) => a.rank - b.rank);
  const texts = sorted.map(({ text }) => text);
  return { texts, notRead };
}
