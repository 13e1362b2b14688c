import { isValid } from '../../apiserver/sample/made-up-object.ts';
import { sampleRequests } from '../../apiserver/sample/sample-request.ts';
import { attempts } from '../../collect/attempts.ts';
import { type BaseFacts, collectBase } from '../../collect/base.ts';
import type { ClusterProber, OpenProber } from '../../collect/cluster-prober.ts';
import { type ClusterReader, ReadError } from '../../collect/cluster-reader.ts';
import { pathOf } from '../../collect/resource.ts';
import { type AdmissionCallout, type Callout, calloutId, isAdmission } from '../../facts/callout.ts';
import type { HttpAnswer } from '../../facts/probes.ts';
import type { Unread } from '../../facts/unread.ts';
import {
  addedFields,
  type DryRunAnswer,
  fieldText,
  judgeAnswer,
  type Proof,
} from '../../soak/judge-answer.ts';
import type { SoakReport } from '../../soak/soak-report.ts';
import { soakTally } from '../../soak/soak-tally.ts';
import { chooseCallouts } from '../choose-callouts.ts';
import { CannotStart } from '../with-cluster.ts';
import { objectFrom, type SoakedObject } from './soaked-object.ts';
import { steadyRate } from './steady-rate.ts';

/** What runs meanwhile. */
export interface Meanwhile {
  readonly command: string;
  /** Starts it; answers when it has ended, with its exit code. */
  readonly run: () => Promise<number | null>;
}

/** What the flags of `soak` ask for. */
export interface SoakQuestion {
  /** As typed. */
  readonly callout: string;
  readonly rate: number;
  /** Milliseconds: all of it, or at most, where something runs meanwhile. */
  readonly length: number;
  /** Text of the file with the object to send; absent: one is suggested. */
  readonly object?: string;
  readonly during?: Meanwhile;
  readonly interrupted: AbortSignal;
  readonly now: Date;
  readonly onStage?: (stage: string) => void;
}

/** Milliseconds of load before the command starts, and after it has ended. */
const before = 1_000;
const after = 3_000;
/** Beyond the webhook's own time, as for doctor's dry runs. */
const timeForOthers = 5_000;
const harmless: readonly (string | undefined)[] = ['None', 'NoneOnDryRun'];
/** Objects that are tried until one is denied, or changed. */
const suggestions = 6;

/** What decides which object is sent, where it could not be read. */
const lists = /webhookconfigurations|namespaces|discovery|served/;

const unseenText = (failed: readonly Unread[]): readonly string[] =>
  failed
    .filter(({ what }) => lists.test(what))
    .map(({ what, why, detail }) => `It could not look at ${what}: ${detail ?? why}`);

function chosen(callouts: readonly Callout[], name: string, failed: readonly Unread[]): AdmissionCallout {
  const named = chooseCallouts(callouts, [name], [], failed);
  const unseen = unseenText(failed);
  if (named.length === 0 && unseen.length > 0)
    throw new CannotStart(`whether there is a webhook ${name} could not be looked at`, unseen.join('\n'));
  const [first, ...others] = named.filter(isAdmission);
  if (first === undefined)
    throw new CannotStart(
      `${name} is no webhook: only requests to webhooks of admission can be sent as dry runs`,
    );
  if (others.length > 0)
    throw new CannotStart(
      `"${name}" has ${others.length + 1} webhooks; name one of them`,
      `It has: ${[first, ...others].map(calloutId).join(', ')}`,
    );
  if (!harmless.includes(first.sideEffects))
    throw new CannotStart(
      `${calloutId(first)} declares side effects (${first.sideEffects ?? 'none given'}): it cannot be asked in a dry run`,
    );
  return first;
}

const asDryRunAnswer = ({ status, body }: HttpAnswer): DryRunAnswer => {
  try {
    return { status, body: JSON.parse(Buffer.from(body).toString('utf8')) };
  } catch {
    return { status, body: undefined };
  }
};

/** One request; what keeps it from an answer counts as a failure of it. */
async function sendOnce(
  prober: ClusterProber,
  { request }: SoakedObject,
  callout: AdmissionCallout,
): Promise<DryRunAnswer | { readonly failure: string }> {
  const late = AbortSignal.timeout(callout.timeoutSeconds * 1000 + timeForOthers);
  try {
    return asDryRunAnswer(await prober.dryRun(request, late));
  } catch (error) {
    if (late.aborted) return { failure: 'the API server did not answer in time' };
    if (error instanceof ReadError) return { failure: error.message };
    throw error;
  }
}

function suggested(callout: AdmissionCallout, facts: BaseFacts): readonly SoakedObject[] {
  const samples = sampleRequests(callout, facts, facts.version, suggestions * 3).filter(
    ({ request, sure }) =>
      sure && request.operation === 'CREATE' && (request.subresource ?? '') === '' && isValid(request),
  );
  return samples.slice(0, suggestions).map(({ request, served }) => {
    const { group, version, resource: plural } = served;
    const where =
      served.namespaced && request.namespace !== undefined ? { namespace: request.namespace } : {};
    return {
      request: {
        verb: 'create',
        path: pathOf({ group, version, plural }, where.namespace),
        object: request.object ?? {},
      },
      object: { kind: served.kind, name: request.name ?? '', ...where },
    };
  });
}

/** What a first answer shows that later ones can be judged by; undefined: nothing. */
function proofOf(callout: AdmissionCallout, sent: SoakedObject, answer: DryRunAnswer): Proof | undefined {
  const { webhook } = callout;
  const denial: Proof = { by: 'denial', webhook };
  if (judgeAnswer(answer, denial).outcome === 'checked') return denial;
  if (callout.kind !== 'mutating' || answer.status < 200 || answer.status > 299) return undefined;
  const fields = addedFields(sent.request.object, answer.body);
  return fields.length === 0 ? undefined : { by: 'fields', webhook, fields };
}

interface Chosen {
  readonly sent: SoakedObject;
  readonly proof: Proof;
  readonly by: 'given' | 'suggested';
}

/** The object to send, tried once. A validating webhook that is given an object must deny it: that is believed. */
async function choose(
  prober: ClusterProber,
  reader: ClusterReader,
  callout: AdmissionCallout,
  facts: BaseFacts,
  { object: text, failed }: { readonly object: string | undefined; readonly failed: readonly Unread[] },
): Promise<Chosen> {
  const served = facts.served.known('served') ? facts.served.get('served') : undefined;
  const given = text === undefined ? undefined : objectFrom(text, served, reader.namespace);
  const candidates = given === undefined ? suggested(callout, facts) : [given];
  const answers: string[] = [];
  for (const sent of candidates) {
    const answer = await sendOnce(prober, sent, callout);
    const proof = 'failure' in answer ? undefined : proofOf(callout, sent, answer);
    const by = given === undefined ? 'suggested' : 'given';
    if (proof !== undefined) return { sent, proof, by };
    const told =
      'failure' in answer ? answer.failure : judgeAnswer(answer, { by: 'denial', webhook: callout.webhook });
    const refused = typeof told === 'string' ? told : 'message' in told ? told.message : undefined;
    const failed = typeof told !== 'string' && told.outcome !== 'other';
    if (given !== undefined && callout.kind === 'validating' && failed)
      return { sent, proof: { by: 'denial', webhook: callout.webhook }, by };
    answers.push(`${sent.object.kind} ${sent.object.name}: ${refused ?? 'admitted'}`);
  }
  const must = callout.kind === 'mutating' ? 'changes (while it works)' : 'denies';
  throw new CannotStart(
    `no object shows whether ${calloutId(callout)} was asked; give one that it ${must} with -f`,
    [
      ...(answers.length === 0 ? [] : [`Tried: ${answers.join('; ')}`]),
      ...(text === undefined ? unseenText(failed) : []),
    ].join('\n') || undefined,
  );
}

/** When it ends: the time is over, Ctrl-C, or a while after the command. */
function watchOver({ length, during, interrupted }: SoakQuestion) {
  const over = new AbortController();
  const end = (): void => over.abort();
  const began = performance.now();
  const elapsed = (): number => Math.round((performance.now() - began) / 100) / 10;
  const timer = setTimeout(end, length);
  interrupted.addEventListener('abort', end, { once: true });
  if (interrupted.aborted) end();
  let told: SoakReport['during'];
  const start = setTimeout(() => {
    if (during === undefined || over.signal.aborted) return;
    const { command } = during;
    const from = elapsed();
    told = { command, from };
    void during.run().then((exitCode) => {
      told = { command, from, to: elapsed(), exitCode };
      setTimeout(end, after);
    });
  }, before);
  const stop = (): void => {
    clearTimeout(timer);
    clearTimeout(start);
  };
  return { signal: over.signal, during: () => told, stop };
}

/** Sends dry runs at a steady rate and counts what becomes of them. Throws CannotStart, CalloutNameError, ReadError. */
export async function soak(
  reader: ClusterReader,
  openProber: OpenProber,
  question: SoakQuestion,
): Promise<SoakReport> {
  const { rate, onStage, interrupted, now } = question;
  const read = attempts(reader);
  const [facts, prober] = await Promise.all([collectBase(read), openProber()]);
  const outage = read.outage();
  if (outage !== undefined) throw outage;
  const { failed } = read;
  const callout = chosen(facts.callouts, question.callout, failed);
  const { object } = question;
  const { sent, proof, by } = await choose(prober, reader, callout, facts, { object, failed });
  const tally = soakTally(callout.timeoutSeconds * 500);
  const watch = watchOver(question);
  let answered = 0;
  const { milliseconds, notSent } = await steadyRate(rate, watch.signal, async (sentAt) => {
    const started = performance.now();
    const answer = await sendOnce(prober, sent, callout);
    const judged =
      'failure' in answer
        ? ({ outcome: 'failed', message: answer.failure } as const)
        : judgeAnswer(answer, proof);
    tally.add(judged, sentAt, performance.now() - started);
    answered += 1;
    if (answered % rate === 0) onStage?.(`${answered} dry runs answered`);
  });
  watch.stop();
  const seconds = Math.round(milliseconds / 100) / 10;
  const during = watch.during();
  const { kind, configuration, webhook, failurePolicy, timeoutSeconds } = callout;
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'SoakReport',
    takenAt: now.toISOString(),
    callout: { kind, configuration, webhook, failurePolicy, timeoutSeconds },
    object: { ...sent.object, by },
    shows: proof.by === 'denial' ? { by: 'denial' } : { by: 'fields', fields: proof.fields.map(fieldText) },
    rate,
    ...(during === undefined ? {} : { during }),
    seconds,
    interrupted: interrupted.aborted,
    ...tally.result(seconds, notSent),
  };
}
