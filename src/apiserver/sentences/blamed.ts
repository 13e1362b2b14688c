import { type AdmissionCallout, type Callout, isAdmission } from '../../facts/callout.ts';
import type { CallError } from './call-error.ts';
import { parseCallError } from './parse-call-error.ts';

/** Of several, those that the text also agrees with otherwise; all of them where it agrees with none. */
const narrowed = <C extends Callout>(
  callouts: readonly C[],
  agrees: (callout: C) => boolean,
): readonly C[] => {
  const agreed = callouts.filter(agrees);
  return agreed.length === 0 ? callouts : agreed;
};

const calls =
  ({ service, path }: CallError) =>
  ({ client }: Callout): boolean =>
    service !== undefined &&
    client.service?.name === service.name &&
    client.service.namespace === service.namespace &&
    (path === undefined || (client.service.path ?? '/') === path);

/** Two configurations may hold webhooks of one name: the address in the text tells them apart. */
function ofWebhook(error: CallError, callouts: readonly Callout[]): readonly AdmissionCallout[] {
  const named = callouts.filter(isAdmission).filter(({ webhook }) => webhook === error.webhook);
  return error.service === undefined ? named : narrowed(named, calls(error));
}

function ofConversion({ groupVersion = '', objectKind }: CallError, callouts: readonly Callout[]) {
  const [group] = groupVersion.split('/');
  return callouts.filter(
    (callout) =>
      callout.kind === 'conversion' &&
      callout.resource.group === group &&
      callout.resource.kind === objectKind,
  );
}

/** Discovery names every group and version that it misses, `g/v1: reason`; the aggregator's own words end in them. */
function ofApi(text: string, callouts: readonly Callout[]): readonly Callout[] {
  const words = text.split(/[\s,"]+|: |:$/);
  return callouts.filter((callout) => {
    if (callout.kind !== 'aggregated-api') return false;
    const name = `${callout.group}/${callout.version}`;
    return words.some((word) => word === name || word.endsWith(`/apis/${name}`));
  });
}

/** The callouts that an error is about, of all that exist. Empty: it names none of them. */
function blamedBy(error: CallError, callouts: readonly Callout[]): readonly Callout[] {
  if (error.webhook !== undefined) return ofWebhook(error, callouts);
  if (error.kind === 'conversion') return ofConversion(error, callouts);
  if (error.kind === 'apiservice') return ofApi(error.text, callouts);
  return error.kind === 'call-failure' ? callouts.filter(calls(error)) : [];
}

/** A text that somebody else quoted, and the callouts that it blames. */
export interface Blame {
  readonly error: CallError;
  readonly callouts: readonly Callout[];
}

/** The same for a text of the cluster; undefined when it names no callout of it. */
export function blame(text: string, callouts: readonly Callout[]): Blame | undefined {
  const error = parseCallError(text);
  const found = error === undefined ? [] : blamedBy(error, callouts);
  return error === undefined || found.length === 0 ? undefined : { error, callouts: found };
}
