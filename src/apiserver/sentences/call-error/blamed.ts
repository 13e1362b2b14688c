import { type AdmissionCallout, type Callout, isAdmission } from '../../../facts/callout.ts';
import type { CallError } from './call-error.ts';
import { parseCallError } from './parse-call-error.ts';

/** Narrows callouts to those that also agree with other fields of the error; all of them if none agrees. */
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

/** Two configurations can have webhooks with the same name: the address in the text distinguishes them. */
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

/** Discovery lists every failed group and version, `g/v1: reason`; the aggregator's error is at the end. */
function ofApi(text: string, callouts: readonly Callout[]): readonly Callout[] {
  const words = text.split(/[\s,"]+|: |:$/);
  return callouts.filter((callout) => {
    if (callout.kind !== 'aggregated-api') return false;
    const name = `${callout.group}/${callout.version}`;
    return words.some((word) => word === name || word.endsWith(`/apis/${name}`));
  });
}

/** The callouts that an error is about; empty if it names none of them. */
function blamedBy(error: CallError, callouts: readonly Callout[]): readonly Callout[] {
  if (error.webhook !== undefined) return ofWebhook(error, callouts);
  if (error.kind === 'conversion') return ofConversion(error, callouts);
  if (error.kind === 'apiservice') return ofApi(error.text, callouts);
  return error.kind === 'call-failure' ? callouts.filter(calls(error)) : [];
}

/** A quoted text, and the callouts that it is about. */
export interface Blame {
  readonly error: CallError;
  readonly callouts: readonly Callout[];
}

/** The callouts that a text of the cluster is about; undefined if it names no callout. */
export function blame(text: string, callouts: readonly Callout[]): Blame | undefined {
  const error = parseCallError(text);
  const found = error === undefined ? [] : blamedBy(error, callouts);
  return error === undefined || found.length === 0 ? undefined : { error, callouts: found };
}
