import { listUserPersonalTokens, revokeUserPersonalToken } from '@passport/contract/personal-tokens'
import { useQuery } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { editResponse, updateOptimistically } from '../app/optimistic-update.ts'
import { CardText } from '../directory/CardRows.tsx'
import { PersonalTokenList } from '../directory/PersonalTokenList.tsx'
import { Card } from '../ui/Card.tsx'

/** The personal tokens of a user, for administrators. */
export function UserTokens({ userId }: { userId: string }) {
  const params = { userId }
  const tokens = useQuery(query(listUserPersonalTokens, { params }))
  const revoke = (tokenId: string) =>
    updateOptimistically(
      [editResponse(listUserPersonalTokens, { params }, (all) => all.filter(({ id }) => id !== tokenId))],
      () => call(revokeUserPersonalToken, { params: { ...params, tokenId } }),
    )
  return (
    <Card title="Personal tokens">
      <Loaded query={tokens} label="Loading tokens" rows={1}>
        {(all) => (all.length === 0 ? <CardText>None</CardText> : <PersonalTokenList tokens={all} revoke={revoke} />)}
      </Loaded>
    </Card>
  )
}
