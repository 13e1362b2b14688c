import { type ProbeFacts, probedCallouts } from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import type { Callout } from '../../facts/callout.ts';
import { isNoOlder } from '../../facts/objects/metadata.ts';
import { conversionOff } from '../../phrases/conversion-off.ts';
import { registersNoConversion, unservedPath } from '../../pods/unserved-path.ts';
import { namesakeOf } from '../../products/namesakes.ts';
import { correctTemplate, responseFaultCheck } from './response-fault-check.ts';

/** The webhook of the same name and scope in a configuration that is not older, if the probes of its calls succeeded. */
function replacedBy(callout: Callout, facts: ProbeFacts) {
  const probed = probedCallouts(facts);
  const other = namesakeOf(callout, facts, (one) => {
    const usable = probed.includes(one) ? usableEndpoints(one, facts) : [];
    const isOk = usable.length > 0 && usable.every(({ callResult }) => callResult.outcome === 'answers');
    return isOk && isNoOlder(one.metadata, callout.metadata);
  });
  return other && { id: 'replaced', other: other.configuration };
}

export const responsePathNotFound = responseFaultCheck({
  id: 'response-path-not-found',
  title: 'Path of the webhook does not exist on the server',
  why: 'The server returns 404 or 405 for the configured path. It is another version of the program, has this feature turned off, or is not a webhook.',
  advice: `[look] Compare the version of the image with that of the manifests: \`kubectl -n {namespace} get {workload} -o wide\`. [end] If the versions differ, install image and manifests from one release. [look] Otherwise compare \`clientConfig.service.path\` with the paths that the program serves: \`kubectl -n {namespace} logs {pod}\`. [end] Correct the path, or remove the webhook if this version has no such feature: \`kubectl edit {kind} {configuration}\`. [end] If another version left this configuration, delete it: \`kubectl delete {kind} {leftover}\`. [with] If this version no longer converts CRD \`{crd}\`, apply the CRDs of this version. [with] Only if all versions of the CRD have the same fields (others are lost), turn the conversion off instead: ${conversionOff}.`,
  fault: 'path-not-found',
  returned: '{status} for the path {path}',
  isPlain: true,
  alsoRequires: ['logs'],
  ofObjects: {
    find: (callout, request, facts) =>
      unservedPath(callout, request, facts) ??
      replacedBy(callout, facts) ??
      (registersNoConversion(callout, request, facts) ? { id: 'unconverted' } : undefined),
    messages: {
      replaced: {
        text: '{replicas} returned {status} for the path {path}; {other}, which is not older, has the same webhook, and its calls succeed',
        advice:
          '[end] If another version left this configuration, delete it: `kubectl delete {kind} {leftover}`. [end] Otherwise correct the path: `kubectl edit {kind} {configuration}`.',
      },
      unconverted: {
        text: '{replicas} returned {status} for the path {path}: this release of the program registers no conversion',
        advice: `[look] Compare the version of the image with that of the CRD \`{crd}\`: \`kubectl -n {namespace} get {workload} -o wide\`. [end] If the versions differ, install image and manifests from one release. [end] If both are of one release, install a release that converts all served versions of the CRD. [with] Only if all versions have the same fields (others are lost), turn the conversion off instead: ${conversionOff}.`,
      },
      unlisted: {
        text: '{replicas} returned {status} for the path {path}: the paths in {setting} do not include it',
        advice:
          '[end] Add the path to this argument or variable: `kubectl -n {namespace} edit {workload}`. [with] Change the values of its chart or its manifests, too. [end] If the feature is off intentionally, delete its webhook: `kubectl edit {kind} {configuration}`.',
      },
      skipped: {
        text: '{replicas} returned {status} for the path {path}, which the program does not serve according to its log: {setting}',
        advice: correctTemplate,
      },
      switchedOff: {
        text: '{replicas} returned {status} for the path {path}: {setting} turns it off',
        advice:
          '[end] Remove this argument or variable: `kubectl -n {namespace} edit {workload}`. [with] Change the values of its chart or its manifests, too. [end] If the feature is off intentionally, delete its webhook: `kubectl edit {kind} {configuration}`.',
      },
    },
  },
  known: {
    refused: {
      detail: /^HTTP 40[013] (?!no controller registered)/,
      text: '{replicas} returned {status} for the path {path}: {detail}',
      advice:
        '[with] The program expects another path, such as one with a token of its installation. [end] Apply configuration, Secrets and workload of one build or release again, then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] Or write the path that the program expects, from its Secret, its arguments or its log, in the configuration: `kubectl edit {kind} {configuration}`.',
    },
  },
});
