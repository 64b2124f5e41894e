import { type MailTest, sendTestMail } from '@passport/contract/mail'
import { AtSign, CircleAlert, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Note } from '../ui/Note.tsx'
import { describeResponse } from './words.ts'

/** Sends a test to the administrator, and shows the response of the mail server. */
export function TestMail() {
  const [isSending, setSending] = useState(false)
  const [result, setResult] = useState<MailTest>()
  async function send() {
    setSending(true)
    try {
      setResult(await call(sendTestMail, {}))
    } catch (error) {
      reportFailure('send a test email', error)
    }
    setSending(false)
    await queryClient.invalidateQueries()
  }
  return (
    <>
      <Button variant="primary" isBusy={isSending} onClick={() => void send()}>
        <AtSign size={16} />
        Send test email
      </Button>
      <Dialog
        isOpen={result !== undefined}
        title="Test email"
        className="w-[520px]"
        onClose={() => setResult(undefined)}
      >
        {result && <Result result={result} onClose={() => setResult(undefined)} />}
      </Dialog>
    </>
  )
}

function Result({ result, onClose }: { result: MailTest; onClose: () => void }) {
  const { isAccepted, recipient, response, elapsedMs } = result
  return (
    <div className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3">
      {isAccepted ? (
        <Note icon={<CircleCheck size={18} className="text-ok" />} title="The mail server accepted it" isActive>
          It is on its way to {recipient}. If it does not arrive, look into the folder for spam.
        </Note>
      ) : (
        <Note icon={<CircleAlert size={18} className="text-bad" />} title="The mail server did not accept it">
          Nothing was sent to {recipient}.{' '}
          <a href="/docs/mail#problems" className="link">
            What the responses mean
          </a>
        </Note>
      )}
      <div>
        <p className="mb-1 text-[13px] font-[560]">Response after {elapsedMs.toLocaleString('en')} ms</p>
        <CodeBlock label="the response" text={describeResponse({ state: 'failed', response })} isWrapped />
      </div>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  )
}
