/** A person with an account at the provider. */
export interface Person {
  sub: string
  name: string
  preferred_username: string
  email: string
  email_verified: boolean
}

/** The initial accounts; any other name creates an account on the spot. */
export const people: Person[] = ['Nora Lind', 'Omar Haddad', 'Eve Moreau'].map(getPerson)

/** Returns the same user for the same name, as long as the provider runs. */
export function getPerson(name: string): Person {
  const handle = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.+|\.+$/g, '')
  return {
    sub: `person-${handle}`,
    name,
    preferred_username: handle,
    // Shares the address with eve of the built-in directory: accounts must not be linked by it.
    email: handle === 'eve.moreau' ? 'eve@passport.example' : `${handle}@harbour.example`,
    email_verified: true,
  }
}
