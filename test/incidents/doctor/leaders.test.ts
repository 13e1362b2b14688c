import { describeDoctor } from '../diagnosed.ts';
import { leaders } from '../states/leaders.ts';

describeDoctor('leaders', leaders);
