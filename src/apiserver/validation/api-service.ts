import { decodeBase64 } from '../go/base64.ts';
import { goQuote } from '../go/quote.ts';
import { portErrors } from './client.ts';
import { errors, type FieldError, invalid, requiredError } from './field-error.ts';
import { labelNameFaults, metadataErrors, subdomainNameFaults } from './names.ts';
import type { SentApiService } from './shapes.ts';

const bytesIn = (base64: string): number => {
  const decoded = decodeBase64(base64);
  return 'illegalAt' in decoded ? 0 : Buffer.from(base64, 'base64').length;
};

function clientErrorsOf(spec: NonNullable<SentApiService['spec']>): readonly FieldError[] {
  const { service, caBundle = '', insecureSkipTLSVerify: skips = false } = spec;
  const size = bytesIn(caBundle);
  const insecure = 'spec.insecureSkipTLSVerify';
  if (service === undefined)
    return errors(
      size > 0 && invalid('spec.caBundle', `${size} bytes`, 'local APIServices may not have a caBundle'),
      skips && invalid(insecure, skips, 'local APIServices may not have insecureSkipTLSVerify'),
    );
  const { namespace = '', name = '', port } = service;
  return errors(
    namespace === '' && requiredError('spec.service.namespace'),
    name === '' && requiredError('spec.service.name'),
    portErrors('spec.service.port', port),
    skips && size > 0 && invalid(insecure, skips, 'may not be true if caBundle is present'),
  );
}

/** kube-aggregator/pkg/apis/apiregistration/validation ValidateAPIService. */
export function apiServiceErrors(
  { metadata = {}, spec = {} }: SentApiService,
  server: string | undefined,
): readonly FieldError[] {
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  const wanted = `${version}.${group}`;
  return errors(
    metadataErrors(
      metadata,
      (name) => (name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`]),
      server,
    ),
    group === '' &&
      version !== 'v1' &&
      requiredError('spec.group', 'only v1 may have an empty group and it better be legacy kube'),
    group !== '' && subdomainNameFaults(group).map((fault) => invalid('spec.group', group, fault)),
    labelNameFaults(version).map((fault) => invalid('spec.version', version, fault)),
    (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20000) &&
      invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000'),
    (versionPriority <= 0 || versionPriority > 1000) &&
      invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'),
    clientErrorsOf(spec),
  );
}
