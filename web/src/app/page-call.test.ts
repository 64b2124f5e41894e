import { expect, test } from 'vitest'
import { findPageCall } from './page-call.ts'

test.for([
  ['/app/admin/users/0199', '/passport/admin/users/0199'],
  ['/app/admin/orgs/0199/members', '/passport/admin/orgs/0199'],
  ['/app/admin/roles/My%20Role', '/passport/admin/roles/My%20Role'],
  ['/app/admin/identity/clients/shop', '/passport/admin/identity/clients/shop'],
  ['/app/admin/identity/apis/0199/activity', '/passport/admin/identity/apis/0199'],
  ['/app/admin/awsproducts/0199', '/passport/admin/awsproducts/0199'],
  ['/app/admin/awssubscriptions/0199', '/passport/admin/awssubscriptions/0199'],
  ['/app/admin/awssubscriptions/0199/usage', '/passport/admin/awssubscriptions/0199/usage'],
  ['/app/admin/users', undefined],
  ['/app/admin/groups/0199', undefined],
  ['/app/account/groups/0199', undefined],
  ['/app/', undefined],
])('%s shows the response of %s', ([page, call]) => {
  expect(findPageCall(String(page))).toBe(call)
})
