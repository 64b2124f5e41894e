import { useId, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { type Answer, callWith } from './call-with.ts'

/** Calls Passport's API with the token, as a program without a session would, and shows what comes. */
export function CallPanel({ token, url }: { token: string; url: string }) {
  const id = useId()
  const [answer, setAnswer] = useState<Answer>()
  const [isBusy, setBusy] = useState(false)
  async function run() {
    setBusy(true)
    setAnswer(await callWith(token, url))
    setBusy(false)
  }
  return (
    <section aria-labelledby={id}>
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <h3 id={id} className="font-[560]">
          Call it
        </h3>
        <Button isSmall isBusy={isBusy} onClick={run}>
          Call
        </Button>
      </header>
      <p className="mt-1 text-ink2">
        <code className="font-mono text-[12.5px] text-ink [overflow-wrap:anywhere]">GET {new URL(url).pathname}</code>{' '}
        with the token, and without your session.
      </p>
      <div role="status">{answer && <Told answer={answer} />}</div>
    </section>
  )
}

function Told({ answer: { isGood, status, ms, challenge, body } }: { answer: Answer }) {
  return (
    <div className="mt-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${isGood ? 'bg-ok' : 'bg-bad'}`} />
        <span className="font-[600]">{status}</span>
        <span className="text-[13px] text-ink3">after {ms} ms</span>
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
