import { replicaNotListening } from '../../../src/checks/replica/replica-not-listening.ts';
import { describeFault, refused } from '../probed.ts';

describeFault(replicaNotListening, refused);
