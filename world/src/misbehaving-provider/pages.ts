import { html, raw } from 'hono/html'

/** Renders a page to sign in with one click, or to cancel. */
export function renderSignInPage(query: Record<string, string>) {
  const urlOf = (decision: string) => `/authorize?${new URLSearchParams({ ...query, decision })}`
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sign in to Shoal</title><link rel="icon" href="data:,"></head>
<body>
<h1>Shoal</h1>
<p>This simulates an identity provider that can misbehave.</p>
<p><a href="${urlOf('yes')}">Sign in</a> <a href="${urlOf('no')}">Cancel</a></p>
</body>
</html>`
}

/**
 * Renders the frame of the session check (OpenID Connect Session Management 1.0, section 3.2), which fetches each
 * result from the server.
 */
export const renderCheckSessionPage = () => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Session of Shoal</title><link rel="icon" href="data:,"></head>
<body>
<script>
${raw(`addEventListener('message', async ({ data, source, origin }) => {
  const result = await fetch('/session-result?' + new URLSearchParams({ message: data }))
  source.postMessage(await result.text(), origin)
})`)}
</script>
</body>
</html>`
