/** Someone with an account at the provider. */
export interface Person {
  sub: string
  name: string
  preferred_username: string
  email: string
  email_verified: boolean
}

/** Those who have one to begin with; whoever gives another name gets one on the spot. */
export const people: Person[] = ['Nora Lind', 'Omar Haddad', 'Eve Moreau'].map(personNamed)

/** The same name is the same person, as long as the provider runs. */
export function personNamed(name: string): Person {
  const handle = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.+|\.+$/g, '')
  return {
    sub: `person-${handle}`,
    name,
    preferred_username: handle,
    // Eve has the same address as the eve of the built-in directory: accounts must not be joined by it.
    email: handle === 'eve.moreau' ? 'eve@passport.example' : `${handle}@harbour.example`,
    email_verified: true,
  }
}
