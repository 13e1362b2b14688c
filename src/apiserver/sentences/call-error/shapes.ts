import type { CallErrorKind } from './call-error.ts';

/** A pattern of a known error. Its named groups become fields; `rest` contains the cause. */
export interface Shape {
  readonly kind: CallErrorKind;
  readonly pattern: RegExp;
}

const is = (kind: CallErrorKind, pattern: RegExp): Shape => ({ kind, pattern });

/** Matched in this order. */
export const shapes: readonly Shape[] = [
  // admission webhook "policy.example.com" does not support dry run
  is('dry-run-refused', /(?:[Aa]dmission webhook "?(?<webhook>[^\s"]+)"? )?does not support dry\b/),
  // admission webhook "policy.example.com" denied the request: no
  is(
    'denial',
    /[Aa]dmission webhook (?:"?(?<webhook>(?!denied\s)[^\s"]+)"? )?denied (?:the )?request(?:: ?(?<message>.*)| without explanation)?/,
  ),
  // admission webhook "policy.example.com" attempted to modify the object, which is not supported for this
  // operation
  is(
    'internal',
    /admission webhook "?(?<webhook>[^\s"]+)"? (?<message>(?<rest>attempted to modify the object.*))/,
  ),
  // Internal error occurred: add operation does not apply: …, of a patch whose webhook the text does not name
  is(
    'internal',
    /Internal error occurr?ed: (?<message>(?<rest>(?:(?:jsonpatch )?(?:add|remove|replace|move|copy|test) operation does not apply|Unexpected kind): .*))/,
  ),
  // Internal error occurred: json: cannot unmarshal string into Go struct field ConfigMap.data of type
  // map[string]string, of a patched object
  is(
    'internal',
    /(?<rest>Internal error occurred: (?:json: cannot unmarshal|invalid character ['"]|unexpected end of JSON input|v\d\w*\.[A-Z]\w+\.[A-Z]).*)/,
  ),
  // Panic calling webhook, failing open policy.example.com: ValidatingAdmissionWebhook/policy.example.com has
  // panicked: …
  is('internal', /(?<rest>Panic calling webhook, failing (?:open|closed) (?<webhook>[^\s:]+).*)/),
  // ValidatingAdmissionWebhook/policy.example.com has panicked: …
  is('internal', /ValidatingAdmissionWebhook\/(?<webhook>\S+) (?<rest>has panicked.*)/),
  // conversion webhook for example.com/v1, Kind=Widget failed: Post "https://…/convert?timeout=30s": …
  is(
    'conversion',
    /conversion webhook for (?<groupVersion>[^,]{1,253}), Kind=(?<objectKind>[\w-]+) (?:failed:? ?)?(?<rest>.*)/,
  ),
  // The CRD's caBundle is not PEM: no request for its objects is served
  is('conversion', /Internal error occurred: (?<rest>error resolving resource)\b/),
  // configmaps "probe" is forbidden: expression '…' resulted in error: no such key: metadata; compilation error:
  // compilation failed: ERROR: <input>:1:1: undeclared reference to 'params'
  is(
    'match-condition',
    /is forbidden: \[?(?<message>(?:expression '.+' resulted in error|compilation error): .*)/,
  ),
  // Timeout: request did not complete within requested timeout - context deadline exceeded; admission plugin
  // "MutatingAdmissionWebhook" failed to complete mutation in 13s
  is(
    'timeout-504',
    /(?:error when (?:creating|applying|patching|replacing|updating) "[^"]*": |\bfor: "[^"]*": |\b[Ee]rror creating: |\bInternal error occurred: |\bdry-?run (?:failed|mode for resource \S+): |\bfailed to apply, reason: |\bunsuccessfully, reason: )(?:context deadline exceeded|the server was unable to return a response in the time allotted\b)|\bunable to return a response in the time allotted, but may still be processing the request \((?:post|put|patch|delete) [\w./-]+\)/,
  ),
  is(
    'timeout-504',
    /Timeout: request did not complete within (?:the allotted |requested |allowed )(?:timeout|duration)(?: \d+s\b)?|admission plugin "\w+" failed to complete (?:mutation|validation) in \S+/,
  ),
  // admission webhook timed out, as people describe it
  is('internal', /\bwebhook (?:call )?(?<rest>timed out)\b/),
  // failing or missing response from https://203.0.113.9:443/apis/g/v1: Get "https://…": dial tcp …: …
  is(
    'apiservice',
    /(?<rest>(?:failing or missing response from|no response from|bad status from|timed out waiting for) https:\/\/[^\s/]+(?:\/apis?\/(?<groupVersion>[^\s:"]+))?.*|failing or missing response from(?=\W*$))/i,
  ),
  // v1beta1.g failed with: Get https://203.0.113.9:443: dial tcp …, before 1.16
  is('apiservice', /\b(?<version>v\d\w*)\.(?<group>[a-z][\w.-]+) failed with: ?(?<rest>Get .*)/),
  // service/metrics in "shop" is not present; endpointslices for service/metrics in "shop" have no addresses
  // with port name "https"
  is(
    'apiservice',
    /(?<message>service\/\S+ in "?[a-z0-9-]+"? (?:is not present|is not listening on port \d+|cannot be checked due to: .*)|(?:cannot find )?endpoint(?:slice)?s for service\/\S+ in .*)/,
  ),
  // unable to retrieve the complete list of server APIs: g/v1: the server is currently unable to handle the
  // request
  is(
    'apiservice',
    /(?:unable to retrieve the complete list of server APIs:|couldn't get resource list for) (?<groupVersion>[^\s:]+): (?<rest>(?!Get |.*failed calling webhook).*)/,
  ),
  // Error: 'x509: …'\nTrying to reach: 'https://metrics:443/apis/g/v1?timeout=32s', the aggregator's error page
  is(
    'apiservice',
    /Error: '(?<rest>[^']+)'(?:\s|\\+n)*Trying to reach: 'https:\/\/[^\s/']+\/apis\/(?<groupVersion>[\w.-]+\/\w+)/,
  ),
  // error trying to reach service: tls: failed to verify certificate: …
  is('apiservice', /(?<rest>error trying to reach service: .*)/i),
];
