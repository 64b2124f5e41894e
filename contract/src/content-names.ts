// The console uses these names without the schemas of the contract.
import type { ContentSlug } from './content.ts'

/** The names of the slots, and where each of them shows its text. `content_name` of the database has the same names. */
export const contentNames: Record<ContentSlug, { name: string; place: string }> = {
  'home.signedOut': { name: 'Signed-out home', place: 'Shown on the home page before sign-in.' },
  'home.signedIn': { name: 'Signed-in home', place: 'Shown at the top of the home page of every user.' },
  'login.notice': { name: 'Sign-in notice', place: 'Shown above the form on the sign-in page.' },
  terms: { name: 'Terms', place: 'A page of its own, linked from sign-in and home.' },
  privacy: { name: 'Privacy', place: 'A page of its own, linked from sign-in and home.' },
  support: { name: 'Support', place: 'A page of its own, linked from sign-in and home.' },
  'join.notice': { name: 'Join notice', place: 'Shown on the page of an invitation.' },
}
