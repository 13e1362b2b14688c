import { defined } from '../../basics/collections.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { ReviewVersion } from '../response/review-shapes.ts';

const options: Readonly<Record<AdmissionRequest['operation'], string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: 'PodExecOptions',
};

/**
 * Builds the AdmissionReview of a request, as the API server writes it (k8s.io/api/admission/v1), with
 * dryRun.
 *
 * @param requested the request in its original version, if the webhook gets another one.
 */
export function admissionReview(
  request: AdmissionRequest,
  version: ReviewVersion,
  uid: string,
  requested: AdmissionRequest = request,
): object {
  const { group, resource, subresource, kind = '', operation, name, namespace, user } = request;
  const ofKind = { group, version: request.version, kind };
  const ofResource = { group, version: request.version, resource };
  const isConnect = operation === 'CONNECT';
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: ofKind,
      resource: ofResource,
      ...(subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource }),
      requestKind: { ...ofKind, group: requested.group, version: requested.version },
      requestResource: { ...ofResource, group: requested.group, version: requested.version },
      ...defined({ name, namespace }),
      operation,
      userInfo: user ?? {},
      object: isConnect ? { kind, apiVersion: request.version } : (request.object ?? null),
      oldObject: request.oldObject ?? null,
      dryRun: true,
      options: isConnect ? null : { kind: options[operation], apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
    },
  };
}
