import { describeDoctor } from '../diagnosed.ts';
import { processes } from '../states/processes.ts';

describeDoctor('processes', processes);
