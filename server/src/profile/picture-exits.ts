/** The exit code of the process that converts pictures when its output is a finding; any other one means that it was ended. */
export const findingExit = 2
