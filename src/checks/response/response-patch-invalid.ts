import type { Met } from '../../apiserver/connection/observe.ts';
import { invalidFields, isChanged } from '../../apiserver/patch/invalid-fields.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import { brief } from '../brief.ts';
import { defineCheck } from '../check.ts';
import {
  failing,
  namesText,
  type Probed,
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
  usableMet,
} from '../probed.ts';

/** Fields that the API server finds wrong with its object, and that the patch of this replica made so. */
function spoiltBy({ meeting, probe }: Met, { invalid, url }: CalloutProbes): readonly string[] {
  if (invalid === undefined || meeting.outcome !== 'answers' || meeting.answer?.outcome !== 'allowed')
    return [];
  const { patched } = meeting.answer;
  const dialogues = probe?.dialogues ?? (url === undefined ? [] : [url]);
  const sent = dialogues.flatMap(({ reviews }) => reviews).find(({ answer }) => answer !== undefined);
  if (patched === undefined || sent?.resource !== invalid.resource) return [];
  return invalidFields(invalid.message).filter((field) => isChanged(sent.object, patched, field));
}

/** The patch applies, and what comes out is refused. */
function spoilt(probed: Probed, facts: ProbeFacts, takenAt: string) {
  const probes = probesAt(probed, facts);
  if (probes?.invalid === undefined) return undefined;
  const { resource, message } = probes.invalid;
  const spoiling = usableMet(probed, facts, takenAt).flatMap((met) => {
    const fields = spoiltBy(met, probes);
    return fields.length === 0 ? [] : [{ met, fields }];
  });
  if (spoiling.length === 0) return undefined;
  const data = {
    replicas: namesText(spoiling.map(({ met }) => met)),
    resource,
    fields: [...new Set(spoiling.flatMap(({ fields }) => fields))].join(', '),
    said: brief(message),
  };
  return {
    data,
    message,
    evidence: [{ object: probed.ref, field: 'a server-side dry run', value: message }],
  };
}

export const responsePatchInvalid = defineCheck({
  meta: {
    id: 'response-patch-invalid',
    link: 'response',
    title: 'The patch of the webhook cannot be applied',
    severity: 'error',
    consequence: 'failing',
    why: 'A patch that does not decode is a failed call (from 1.34; before, an internal error). One that decodes and does not apply refuses the request, whatever failurePolicy says, and the message does not name the webhook. So does one that applies and leaves an object that the API server then finds invalid: a 422, in which only the fields tell whose patch it was.',
    advice:
      'Answer with a JSON patch (RFC 6902) in base64 and `patchType: JSONPatch`; test it against an object without labels, annotations and other optional fields.',
    messages: {
      all: '{replicas} ({bad} of {total}) send a patch that does not work: {said}',
      some: {
        text: '{replicas}: send a patch that does not work; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
      stops: '{replicas} ({bad} of {total}) send a patch that cannot be applied: {said}',
      stopsSome: {
        text: '{replicas}: send a patch that cannot be applied; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
      spoils: {
        text: '{replicas}: the patch makes a plain {resource} invalid in {fields}, and the API server refuses it: {said}',
        consequence: 'degraded',
      },
    },
    follows: [
      'replicas-disagree',
      'leader-gated-answer',
      'leader-lease-stale',
      'selector-covers-other-workload',
      'path-trailing-slash',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find, takenAt) {
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'patch-invalid');
    if (found !== undefined) {
      const { extent, met, data, evidence } = found;
      // No call failure: failurePolicy is not asked.
      const stops = met.every(({ meeting }) => meeting.answer?.outcome === 'api-server-error');
      const messageId = !stops ? extent : extent === 'all' ? 'stops' : 'stopsSome';
      return find(messageId, data, evidence, 'observed');
    }
    const bad = spoilt(probed, facts, takenAt);
    return bad && { ...find('spoils', bad.data, bad.evidence, 'observed'), sentence: bad.message };
  },
});
