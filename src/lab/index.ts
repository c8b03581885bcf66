// The door of the lab for the command line.

export { algorithmContender, ownContender } from './contender.ts';
export { attemptsText } from './outcome/attempts-text.ts';
export { drawPlan } from './scenario/draw-plan.ts';
export { readScenario, shippedScenarios } from './scenario/read-scenario.ts';
export { simulate, taskCount } from './simulation.ts';
