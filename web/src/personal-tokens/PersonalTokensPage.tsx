import { type CreatedPersonalToken, listPersonalTokens, revokePersonalToken } from '@passport/contract/personal-tokens'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { editResponse, updateOptimistically } from '../app/optimistic-update.ts'
import { PersonalTokenList } from '../directory/PersonalTokenList.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { CreateTokenDialog } from './CreateTokenDialog.tsx'
import { UseTokenCard } from './UseTokenCard.tsx'

/** The personal tokens of the current user. */
export function PersonalTokensPage() {
  return (
    <div>
      <AccountHead />
      <div className="cols">
        <TokensCard />
        <UseTokenCard />
      </div>
    </div>
  )
}

const revoke = (tokenId: string) =>
  updateOptimistically(
    [editResponse(listPersonalTokens, {}, (tokens) => tokens.filter(({ id }) => id !== tokenId))],
    () => call(revokePersonalToken, { params: { tokenId } }),
  )

function TokensCard() {
  const tokens = useQuery(query(listPersonalTokens, {}))
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedPersonalToken>()
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus size={15} aria-hidden="true" />
      Create token
    </Button>
  )
  return (
    <Card
      title="Personal tokens"
      description="For your own scripts and programs. A token acts as you, but never as an administrator."
      action={tokens.data && tokens.data.length > 0 && create}
    >
      <Loaded query={tokens} label="Loading tokens" rows={3}>
        {(all) =>
          all.length === 0 ? (
            <Empty kind="nothing yet" title="No personal tokens">
              <p>A script sends a token instead of signing in.</p>
              <div className="mt-4">{create}</div>
            </Empty>
          ) : (
            <PersonalTokenList tokens={all} revoke={revoke} />
          )
        }
      </Loaded>
      <CreateTokenDialog
        isOpen={isCreating}
        created={created}
        onCreated={(token) => {
          setCreated(token)
          void tokens.refetch()
        }}
        onClose={() => {
          setCreating(false)
          setCreated(undefined)
        }}
      />
    </Card>
  )
}
