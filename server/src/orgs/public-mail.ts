import type { FieldError } from '@passport/contract/problem'
import * as problems from './problems.ts'

/**
 * The common domains of public mail services, so that entering one by mistake gives a clear error. Published lists have
 * ten thousand, most of them of short-lived services, which no user of such a service could verify by DNS anyway.
 */
const publicMailDomains = new Set(
  `126.com 139.com 163.com 189.cn 21cn.com aim.com aliyun.com alice.it aol.co.uk aol.com aol.de aol.fr arcor.de
  att.net attbi.com bell.net bellsouth.net bigpond.com bigpond.net.au bk.ru bluewin.ch bol.com.br bt.com
  btinternet.com btopenworld.com centrum.cz charter.net club-internet.fr comcast.net cox.net daum.net duck.com
  earthlink.net email.com email.cz email.de fastmail.com fastmail.fm foxmail.com free.fr freemail.hu freenet.de
  frontier.com frontiernet.net gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.fr gmx.net googlemail.com hanmail.net
  hey.com home.nl hotmail.be hotmail.ca hotmail.co.jp hotmail.co.uk hotmail.com hotmail.com.ar hotmail.com.br
  hotmail.de hotmail.es hotmail.fr hotmail.gr hotmail.it hotmail.nl hotmail.se hushmail.com icloud.com ig.com.br
  iinet.net.au inbox.com inbox.lv inbox.ru index.hu interia.pl juno.com kpnmail.nl laposte.net libero.it list.ru
  live.at live.be live.ca live.cn live.co.uk live.com live.com.au live.com.mx live.com.pt live.de live.dk live.fr
  live.ie live.it live.jp live.nl live.no live.ru live.se lycos.com mac.com mail.com mail.ee mail.ru mail2world.com
  mailbox.org mailinator.com me.com msn.com naver.com neuf.fr nifty.com ntlworld.com o2.co.uk o2.pl online.de
  onet.eu onet.pl op.pl optonline.net optusnet.com.au orange.fr outlook.at outlook.be outlook.co.uk outlook.com
  outlook.com.au outlook.com.br outlook.de outlook.dk outlook.es outlook.fr outlook.ie outlook.in outlook.it
  outlook.jp outlook.kr outlook.pt passport.com pm.me pobox.com posteo.de posteo.net proton.me protonmail.ch
  protonmail.com qq.com rambler.ru rediffmail.com rocketmail.com rogers.com sapo.pt sbcglobal.net seznam.cz sfr.fr
  shaw.ca sina.cn sina.com skynet.be sky.com sohu.com sympatico.ca t-online.de talktalk.net telenet.be telia.com
  telus.net terra.com.br tiscali.co.uk tiscali.it tlen.pl tuta.com tuta.io tutamail.com tutanota.com tutanota.de
  tin.it ukr.net uol.com.br usa.net verizon.net videotron.ca virgilio.it virgin.net virginmedia.com vivaldi.net
  vodafone.nl wanadoo.fr web.de windowslive.com windstream.net wp.pl xs4all.nl xtra.co.nz ya.ru yahoo.ca yahoo.cn
  yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.kr yahoo.co.nz yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au
  yahoo.com.br yahoo.com.cn yahoo.com.hk yahoo.com.mx yahoo.com.ph yahoo.com.sg yahoo.com.tw yahoo.com.vn yahoo.de
  yahoo.dk yahoo.es yahoo.fr yahoo.gr yahoo.ie yahoo.in yahoo.it yahoo.no yahoo.pl yahoo.ro yahoo.se yandex.by
  yandex.com yandex.kz yandex.ru yandex.ua yeah.net ymail.com zoho.com zohomail.com zonnet.nl`.split(/\s+/),
)

/** Returns an error for each public mail domain. */
export const findPublicMailErrors = (domains: string[], fieldOf: (index: number) => string): FieldError[] =>
  domains.flatMap((domain, index) =>
    publicMailDomains.has(domain)
      ? [{ field: fieldOf(index), code: 'domain-public', message: `${domain} is a public mail service.` }]
      : [],
  )

/** Throws 400 `domain-public` with an error for each public mail domain. */
export function rejectPublicMail(domains: string[], fieldOf: (index: number) => string): void {
  const errors = findPublicMailErrors(domains, fieldOf)
  if (errors.length > 0) throw problems.domainPublic(errors)
}
