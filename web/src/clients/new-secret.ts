/** A secret that was just created, until the page of its application has shown it. It is in no storage. */
let created: { clientId: string; secret: string } | undefined

/** Keeps a secret for the page that opens next. */
export function keepNewSecret(clientId: string, secret: string): void {
  created = { clientId, secret }
}

/** Returns the kept secret of an application, once. */
export function takeNewSecret(clientId: string): string | undefined {
  if (created?.clientId !== clientId) return undefined
  const { secret } = created
  created = undefined
  return secret
}
