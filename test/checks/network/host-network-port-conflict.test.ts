import { hostNetworkPortConflict } from '../../../src/checks/network/host-network-port-conflict.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { beside, doubts, only, silences, unready } from '../replica/replicas.ts';

const message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
const unplaced = (hostNetwork: boolean) => {
  const { spec, ...rest } = unready({
    status: {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      containerStatuses: [],
    },
  });
  const { nodeName: _, ...unbound } = spec;
  return { ...rest, spec: { ...unbound, hostNetwork } };
};

describeCheck(hostNetworkPortConflict, {
  reports: [
    {
      name: 'Pods that no node has a free port for',
      facts: only([unplaced(true)]),
      expect: { messageId: 'all' },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([unplaced(true)]),
      expect: { messageId: 'some' },
    },
  ],
  staysSilent: [
    ...silences(unplaced(true)),
    { name: 'the Pod asks for no port of its node', facts: only([unplaced(false)]), outcome: 'pass' },
  ],
  cannotTell: doubts,
});
