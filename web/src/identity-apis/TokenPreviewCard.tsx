import { type IdentityApi, previewApiToken, type TokenPreview } from '@passport/contract/identity-apis'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { CardText } from '../directory/CardRows.tsx'
import { searchUsers } from '../directory/find-records.ts'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { searchApplications } from './search-applications.ts'

/** The content of a token that an application would get now, from the code that issues tokens. */
export function TokenPreviewCard({ api }: { api: IdentityApi }) {
  const [client, setClient] = useState<Pickable[]>([])
  const [user, setUser] = useState<Pickable[]>([])
  const [chosen, setChosen] = useState([api.name])
  const available = [
    ...(user.length > 0 && api.claims.length > 0 ? ['profile', 'email'] : []),
    api.name,
    ...api.scopes.map(({ name }) => name),
  ]
  const scope = available.filter((name) => chosen.includes(name)).join(' ')
  const preview = useQuery({
    ...query(previewApiToken, {
      params: { apiId: api.id },
      query: { clientId: client[0]?.id ?? '', ...(user[0] && { userId: user[0].id }), scope },
    }),
    enabled: client.length > 0,
    placeholderData: keepPreviousData,
  })
  return (
    <Card title="Token preview" description="Made by the code that issues tokens, but not signed or saved.">
      <div className="grid grid-cols-1 gap-4 px-4 pb-4 sm:px-[18px]">
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Picker
            label="Application"
            placeholder="Name or client ID"
            search={searchApplications}
            picked={client}
            onPick={(picked) => setClient(picked.slice(-1))}
          />
          <Picker
            label="User"
            placeholder="None: the application itself"
            search={searchUsers}
            picked={user}
            onPick={(picked) => setUser(picked.slice(-1))}
          />
        </div>
        <fieldset>
          <legend className="font-[560]">Scopes</legend>
          <div className="flex flex-wrap gap-x-6">
            {available.map((name) => (
              <Check
                key={name}
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
                }
              >
                <code className="font-mono text-[13px]">{name}</code>
              </Check>
            ))}
          </div>
        </fieldset>
        {client.length > 0 && preview.error && <ErrorCard failure={toFailure(preview.error)} />}
        {client.length > 0 && preview.data && <Preview preview={preview.data} />}
      </div>
      {client.length === 0 && <CardText>Choose an application to see its token.</CardText>}
    </Card>
  )
}

function Preview({ preview: { header, claims, refusal } }: { preview: TokenPreview }) {
  if (refusal)
    return (
      <p role="status" className="rounded-ctl border border-line border-l-3 border-l-bad px-3.5 py-3">
        The request would fail: <code className="font-mono text-[13px]">{refusal.error}</code>, {refusal.description}.
      </p>
    )
  const text = JSON.stringify({ header, payload: claims }, null, 2)
  return (
    <div className="flex items-start gap-2 rounded-ctl bg-well py-1.5 pr-1.5 pl-3">
      <section
        aria-label="Token"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto rounded-ctl py-1"
      >
        <pre className="font-mono text-[12.5px] leading-relaxed">{text}</pre>
      </section>
      <CopyButton text={text} label="Copy token" />
    </div>
  )
}
