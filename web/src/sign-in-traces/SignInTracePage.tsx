import { parseSupportCode } from '@passport/contract/parse-support-code'
import { findSignInMessage, searchSignInMessages } from '@passport/contract/sign-in-messages'
import { Link, useSearch } from '@tanstack/react-router'
import { BackLink } from '../directory/BackLink.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { TraceSearch } from '../directory/TraceSearch.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { FailedRequests } from './FailedRequests.tsx'
import { MessageResult } from './MessageResult.tsx'
import { TraceResult } from './TraceResult.tsx'

/** Finds a sign-in by its support code, and explains the messages of the sign-in client in the browser. */
export function SignInTracePage() {
  const params = useSearch({ strict: false }) as Record<string, unknown>
  const text = typeof params['q'] === 'string' ? params['q'].trim() : ''
  return (
    <div className="grid grid-cols-1 gap-4">
      <header>
        <BackLink to="/admin/audit/signins" label="Sign-ins" />
        <div className="flex items-center justify-between gap-3">
          <h1>Sign-in trace</h1>
          <PageMenu />
        </div>
        <p className="mt-1 text-ink2">
          Every step of a sign-in, by the support code of its error page or by the message of an application
        </p>
      </header>
      <TraceSearch key={text} text={text} />
      <Result text={text} />
    </div>
  )
}

function Result({ text }: { text: string }) {
  const code = parseSupportCode(text)
  const message = findSignInMessage(text)
  if (text === '') return <FailedRequests title="Failed requests" />
  if (code) return <TraceResult key={code} code={code} />
  if (message) return <MessageResult message={message} />
  return <Suggestions text={text} />
}

const maxSuggestions = 8

/** Messages with the words of the search. */
function Suggestions({ text }: { text: string }) {
  const found = searchSignInMessages(text, maxSuggestions)
  if (found.length === 0)
    return (
      <div className="card">
        <Empty kind="no match" title="Neither a support code nor a known message">
          <p>A support code has 8 characters, such as 4BF9-2F35. Messages are those of the sign-in client.</p>
        </Empty>
      </div>
    )
  return (
    <Card title="Messages">
      <ul className="pb-1.5">
        {found.map(({ message, title }) => (
          <li key={message} className="border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
            <Link
              to="/admin/audit/signins/trace"
              search={{ q: message } as never}
              className="font-[560] [overflow-wrap:anywhere] hover:underline"
            >
              {message}
            </Link>
            <p className="text-[13px] text-ink2">{title}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
