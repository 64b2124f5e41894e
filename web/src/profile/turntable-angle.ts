const sides = ['Front', 'Front right', 'Right', 'Back right', 'Back', 'Back left', 'Left', 'Front left']

/** Returns the same direction as an angle from -180 to 180 degrees. */
export const normaliseAngle = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180

/** Names the side of a model that faces the viewer, to the nearest eighth of a turn. */
export const nameSide = (degrees: number): string => sides[Math.round(normaliseAngle(degrees) / 45 + 8) % 8] as string
