import { listUserPersonalTokens, revokeUserPersonalToken } from '@passport/contract/personal-tokens'
import { useQuery } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { editResponse, updateOptimistically } from '../app/optimistic-update.ts'
import { PersonalTokenList } from '../directory/PersonalTokenList.tsx'
import { Card } from '../ui/Card.tsx'

/** The personal tokens of a user, for administrators; nothing without any. */
export function UserTokens({ userId }: { userId: string }) {
  const params = { userId }
  const tokens = useQuery(query(listUserPersonalTokens, { params }))
  const revoke = (tokenId: string) =>
    updateOptimistically(
      [editResponse(listUserPersonalTokens, { params }, (all) => all.filter(({ id }) => id !== tokenId))],
      () => call(revokeUserPersonalToken, { params: { ...params, tokenId } }),
    )
  // On a phone, the rail waits for placeholders, so that the card does not push it down.
  if (tokens.isPending) return <i className="skeleton hidden" />
  if (tokens.data?.length === 0) return null
  return (
    <Card title="Personal tokens">
      <Loaded query={tokens} label="Loading tokens" rows={1}>
        {(all) => <PersonalTokenList tokens={all} revoke={revoke} />}
      </Loaded>
    </Card>
  )
}
