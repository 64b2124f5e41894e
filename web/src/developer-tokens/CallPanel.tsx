import { useId, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { type ApiResponse, callApi } from './call-api.ts'

/** Calls Passport's API with the token and without a session, and shows the response. */
export function CallPanel({ token, url }: { token: string; url: string }) {
  const id = useId()
  const [response, setResponse] = useState<ApiResponse>()
  const [isBusy, setBusy] = useState(false)
  async function run() {
    setBusy(true)
    setResponse(await callApi(token, url))
    setBusy(false)
  }
  return (
    <section aria-labelledby={id}>
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <h3 id={id} className="font-[560]">
          Try it
        </h3>
        <Button isSmall isBusy={isBusy} onClick={run}>
          Send request
        </Button>
      </header>
      <p className="mt-1 text-ink2">
        <code className="font-mono text-[12.5px] text-ink [overflow-wrap:anywhere]">GET {new URL(url).pathname}</code>{' '}
        with the token, without your session.
      </p>
      <div role="status">{response && <ResponseView response={response} />}</div>
    </section>
  )
}

function ResponseView({ response: { isOk, status, durationMs, challenge, body } }: { response: ApiResponse }) {
  return (
    <div className="mt-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${isOk ? 'bg-ok' : 'bg-bad'}`} />
        <span className="font-[600]">{status}</span>
        <span className="text-[13px] text-ink3">after {durationMs} ms</span>
      </p>
      {challenge && (
        <p className="mt-1 text-[13px] text-ink2 [overflow-wrap:anywhere]">WWW-Authenticate: {challenge}</p>
      )}
      {body && (
        <pre className="mt-2 rounded-ctl bg-well px-3 py-2.5 font-mono text-[12.5px] whitespace-pre-wrap [overflow-wrap:anywhere]">
          {body}
        </pre>
      )}
    </div>
  )
}
