/** The line below the heading of the page. */
export const introduction = 'What users see on sign-in, in the console and in emails.'
