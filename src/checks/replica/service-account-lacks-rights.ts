import type { Meeting } from '../../apiserver/connection/meeting.ts';
import { calledWith, probedCallouts, usableEndpoints } from '../../apiserver/connection/probed.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { RbacDenial } from '../../facts/rbac-denial.ts';
import { leaderFacts } from '../../pods/leadership.ts';
import { writerFacts, writerTrouble } from '../../serving-certificates/bundle-writer.ts';
import { defineCheck, fatal } from '../check.ts';

const isOfLease = ({ forbidden: { resource } }: RbacDenial): boolean =>
  resource === 'leases.coordination.k8s.io';
const isOfCache = ({ forbidden: { verb } }: RbacDenial): boolean => ['get', 'list', 'watch'].includes(verb);

export const serviceAccountLacksRights = defineCheck({
  meta: {
    id: 'service-account-lacks-rights',
    link: 'replica',
    title: 'ServiceAccount of the webhook lacks permissions',
    severity: 'warning',
    explains: {
      'backend-not-authorized': 1,
      denial: 5,
      'lease-not-held': 5,
      'not-authorized': 1,
      'request-header-unread': 1,
      'ca-not-injected': 2,
    },
    why: 'Controllers fill the cache from which a webhook responds, often on the leader alone. Without permission to read, or to become the leader, the cache stays empty: the webhook denies what it should allow, or does not respond.',
    advice:
      'List its permissions: `kubectl auth can-i --list -n {namespace} --as={user}`. Add the missing permission where its Role or ClusterRole is declared, then read the log: `kubectl -n {namespace} logs {backend}`.',
    noRemedy: { because: 'the rights of a program are written in its own manifests' },
    messages: {
      writer: fatal('{subject} cannot {what}, and should have written certificate or caBundle'),
      lease: '{subject} cannot {verb} {resource} {where}, and every replica denies {object}',
      cache: '{subject} cannot {verb} {resource} {where}, and every replica denies {object}',
      unanswered: {
        text: '{subject} cannot {verb} {resource} {where}, and no replica responds to {object} before the timeout',
        consequence: 'degraded',
      },
      leaseMissed: {
        text: '{subject} cannot {verb} {resource} {where}, and every replica denies {object}, which was admitted before',
        consequence: 'degraded',
      },
      cacheMissed: {
        text: '{subject} cannot {verb} {resource} {where}, and every replica denies {object}, which was admitted before',
        consequence: 'degraded',
      },
    },
    references: ['/docs/reference/access-authn-authz/rbac/'],
  },
  requires: [...new Set([...leaderFacts, 'samples' as const, ...writerFacts])],
  subjects: probedCallouts,
  run(probed, facts, find) {
    if (!isServiceBacked(probed.callout)) return undefined;
    const writer = writerTrouble(facts, probed.callout);
    if (writer?.why === 'forbidden') {
      const user = `system:serviceaccount:${writer.writer.replace(/^ServiceAccount /, '').replace('/', ':')}`;
      const data = { subject: writer.writer, what: writer.said };
      return { ...find('writer', data, writer.evidence, { user }, 'observed'), link: 'tls' };
    }
    const called = calledWith(probed, facts);
    const metBy = (isMeant: (meeting: Meeting) => boolean) =>
      called.filter(({ facts: seen }) => {
        const usable = usableEndpoints(probed, seen);
        return usable.length > 0 && usable.every(({ meeting }) => isMeant(meeting));
      });
    const [unanswered] = metBy((meeting) => meeting.outcome === 'fails' && meeting.fault === 'hangs');
    const denied = metBy(({ outcome }) => outcome === 'denies');
    const told = unanswered ?? denied.find(({ sample }) => sample?.admitted === true) ?? denied[0];
    const key = keyOf(probed.callout.client.service);
    const all = facts.rbacDenials.getIfKnown(key) ?? [];
    const denial = all.find(isOfLease) ?? all.find(isOfCache);
    if (told === undefined || denial === undefined) return undefined;
    const { account, verb, resource, namespace } = denial.forbidden;
    const kind = isOfLease(denial) ? 'lease' : 'cache';
    const data = {
      subject: `ServiceAccount ${account}`,
      verb,
      resource: resource.split('.')[0] ?? resource,
      where: namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`,
      object: told.what,
    };
    const evidence = [
      { object: denial.pod, field: `log of container ${denial.container}`, value: denial.line },
    ];
    const names = { user: `system:serviceaccount:${account.replace('/', ':')}` };
    if (told === unanswered) return find('unanswered', data, evidence, names, 'observed');
    return find(told.sample?.admitted === true ? `${kind}Missed` : kind, data, evidence, names, 'observed');
  },
});
