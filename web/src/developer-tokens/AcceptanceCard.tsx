import { useState } from 'react'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { decode } from '../ui/jwt.ts'
import { useNow } from '../ui/use-now.ts'
import { refusalsOf } from './refusals.ts'

/** The audience and the scope of Passport's own API; a developer's API may have others. */
const ownAudienceOf = (authority: string) => `${authority}/passport`
const ownScope = 'api_vertex_core'

/** Why an API would refuse the token, for whichever API one has in mind. */
export function AcceptanceCard({ token, authority }: { token: string; authority: string }) {
  const [audience, setAudience] = useState(ownAudienceOf(authority))
  const [scope, setScope] = useState(ownScope)
  const refusals = refusalsOf(decode(token), { issuer: authority, audience: audience.trim(), scope }, useNow())
  return (
    <Card title="Would an API take it?" about="What your API expects. The answer is worked out in this browser.">
      <div className="grid gap-4 px-5 pb-5">
        <Field
          label="Audience of the API"
          className="font-mono text-[13px]"
          value={audience}
          onChange={({ target }) => setAudience(target.value)}
        />
        <Field
          label="Scopes that it needs"
          className="font-mono text-[13px]"
          value={scope}
          onChange={({ target }) => setScope(target.value)}
        />
        <Verdict refusals={refusals} />
      </div>
    </Card>
  )
}

function Verdict({ refusals }: { refusals: string[] }) {
  const isTaken = refusals.length === 0
  return (
    <div role="status">
      <p className="flex items-baseline gap-2 font-[600]">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${isTaken ? 'bg-ok' : 'bg-bad'}`} />
        {isTaken ? 'Nothing in it speaks against it' : 'It would be refused'}
      </p>
      {isTaken ? (
        <p className="mt-1 text-ink2">Whether it is signed rightly and not revoked, only the API can tell.</p>
      ) : (
        <ul className="mt-1 grid gap-1 text-ink2">
          {refusals.map((why) => (
            <li key={why} className="[overflow-wrap:anywhere]">
              {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
