/** The exit codes of the process that converts pictures; any other one means that it was ended. */
export const pictureExits = { tooManyPixels: 2, invalid: 3 } as const
