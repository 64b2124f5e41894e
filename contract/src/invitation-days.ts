/** How long an invitation is valid after it was last sent. */
export const invitationDays = 7
