// Reports whether a client's session is still the current one (OpenID Connect Session Management 1.0, section 3.2).
addEventListener('message', async ({ data, origin, source }) => {
  source?.postMessage(await compareSessionState(data, origin), { targetOrigin: origin })
})

async function compareSessionState(data, origin) {
  if (typeof data !== 'string') return 'error'
  const [clientId, sessionState = '', ...more] = data.split(' ')
  const salt = sessionState.split('.')[1]
  if (!clientId || !salt || more.length > 0) return 'error'
  const browserState = /(?:^|; )passport-state=([^;]*)/.exec(document.cookie)?.[1] ?? ''
  const text = new TextEncoder().encode(`${clientId} ${origin} ${browserState} ${salt}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  const encoded = btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
  return sessionState === `${encoded}.${salt}` ? 'unchanged' : 'changed'
}
