import { calledWith } from '../../apiserver/connection/called-with.ts';
import { failingServers, reportResponse } from '../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import {
  isConversionRefusal,
  isVersionUnsupported,
} from '../../apiserver/sentences/call-error/parse-call-error.ts';
import type { Callout } from '../../facts/callout.ts';
import { refOf, refText } from '../../facts/object-ref.ts';
import type { World } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';
import {
  checksBehindResponses,
  knownMessages,
  messageOfDetail,
  responseMessages,
} from './response-fault-check.ts';

/** Errors of the API server for a response that the program builds incorrectly (apiextensions conversion/webhook_converter.go). */
const known = {
  altered: {
    // The message of the webhook itself follows `failed: `.
    detail:
      /^conversion webhook for \S+ Kind=\S+ returned (?:\d+ objects, expected|invalid metadata|.*must have the same (?:UID|name|namespace|kind))/,
    text: '{replicas} did not return the objects of the request in the other version: {detail}',
    advice:
      '[end] Correct the program: it must return every object of the request, in the same order. [with] It may change `metadata.labels` and `metadata.annotations`, and must keep the rest of `metadata`. [see] The log of the program: `kubectl -n {namespace} logs {pod}`.',
  },
  silent: {
    detail: /response\.result\.status was/,
    text: '{replicas} returned a conversion error without a message: {detail}',
    advice:
      '[look] Read the log of the program at the time of a failed call: `kubectl -n {namespace} logs {pod}`. [with] Its response must have the reason in `response.result.message`.',
  },
};

const requires = [...probeFacts, 'samples'] as const;

/** The versions to which no replica converts the test object, as the program does not know them; they convert to others. */
function unconvertedVersions(callout: Callout, facts: World<(typeof requires)[number]>) {
  const failed = calledWith(callout, facts).flatMap(({ sample, facts: seen }) => {
    const found =
      sample?.desired === undefined
        ? undefined
        : failingServers(
            callout,
            seen,
            ({ callResult: { fault, detail } }) =>
              fault === 'conversion-failed' && isVersionUnsupported(detail),
          );
    return found?.extent === 'all' ? [{ version: sample?.desired ?? '', found }] : [];
  });
  const [first] = failed;
  if (first === undefined) return undefined;
  const { data, evidence } = first.found;
  return {
    data: {
      replicas: data.replicas,
      detail: data.detail,
      versions: listed(failed.map(({ version }) => version)),
    },
    evidence,
  };
}

export const responseConversionFailed = defineCheck({
  meta: {
    id: 'response-conversion-failed',
    title: 'Conversion webhook does not convert the object',
    consequence: 'failing',
    why: 'The webhook reports an error in `response.result`, or returns another object than requested. Often the CRD lists a version that this release of the program does not support. A conversion has no failurePolicy, so the read or write fails.',
    advice:
      '[look] Compare the versions of the CRD with those that the program supports: `kubectl get {kind} {configuration} -o yaml`. [end] Install the CRD and the program of the same release. [end] If no client needs the unsupported version, set `served: false` for it: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      ...responseMessages('a conversion error', ': {detail}'),
      ...knownMessages(known),
      versions: {
        text: '{replicas} does not convert to {versions}, which the CRD serves: {detail}',
        consequence: 'degraded',
        advice:
          '[with] Reads and writes in such a version fail, also lists of controllers that watch it. [end] If no client needs it, set `served: false` for it: `kubectl edit {kind} {configuration}`. [end] Otherwise install the CRD and the program of the same release.',
      },
      stored: {
        text: 'The webhook does not convert a stored {kind}',
        advice:
          '[end] Fix the object that the error names, or the settings of the webhook. [look] Objects are read without the webhook in the stored version: `kubectl get {stored} -A`. [look] Read the log of the webhook: `kubectl -n {namespace} logs {backend}`.',
      },
      'one-stored': {
        text: 'The webhook does not convert {object}, and every list that contains it fails',
        advice:
          '[end] Correct the object, or delete it if no client needs it. [look] To read the object without the webhook, in the stored version: `kubectl -n {place} get {stored} {object} -o yaml`. [look] If the object is right, the program lacks a conversion: read its log: `kubectl -n {namespace} logs {backend}`.',
      },
    },
    preventsReadiness: true,
    follows: [...checksBehindResponses],
    references: [
      '/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#write-a-conversion-webhook-server',
    ],
  },
  requires,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const found = reportResponse('conversion-failed')(callout, facts, (extent, data, evidence, ...rest) => {
      const id = extent === 'all' ? messageOfDetail(known, evidence[0]?.value ?? '') : extent;
      return find(id, data, evidence, ...rest);
    });
    if (found !== undefined || callout.kind !== 'conversion') return found;
    const unconverted = unconvertedVersions(callout, facts);
    if (unconverted !== undefined)
      return find('versions', unconverted.data, unconverted.evidence, {}, 'observed');
    // The Pods convert a test object; the API server also had a stored one converted.
    const { message = '', object } = probesOf(callout, facts)?.dryRun ?? {};
    if (!isConversionRefusal(message)) return undefined;
    const { kind, plural, group } = callout.resource;
    const version = callout.versions.find(({ storage }) => storage)?.name;
    const stored = version === undefined ? undefined : `${plural}.${version}.${group}`;
    const evidence = [{ object: callout.ref, value: message }];
    if (object === undefined) return find('stored', { kind }, evidence, { stored }, 'observed');
    // kubectl ignores the namespace of a cluster-scoped object.
    const names = { stored, place: object.namespace ?? 'default', object: object.name };
    return find('one-stored', { object: refText(refOf(kind, object)) }, evidence, names, 'observed');
  },
});
