/** The validity of an invitation after it was last sent. */
export const invitationDays = 7
