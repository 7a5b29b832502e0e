// Values in files and commands that are credentials by position, without a name and colon:
// .netrc, .pgpass, kubeconfig, Redis, Oracle.
import { type Detector, masked, matches, type TextSpan } from '../detector.ts';

const PATTERNS: readonly RegExp[] = [
  // .netrc: machine HOST login NAME password VALUE, on one line or several
  /(?<kept>^[ \t>]{0,8}(?:machine[ \t]{1,4}\S{1,200}|default)[\s>]{1,20}(?:(?:login|user|account)[ \t]{1,4}\S{1,200}[\s>]{1,20}){1,2}passw(?:or)?d[ \t]{1,4})(?=\S{0,200}[\d@#$%^&*+=~!?-])\S{4,200}/gm,
  // .pgpass: host:port:database:user:password
  /(?<kept>^[ \t>]{0,8}(?:localhost|\*|\/[\w/.-]{1,100}|(?:[\w-]{1,63}\.){1,6}[\w-]{1,63}):(?:\d{4,5}|\*):(?:\*|[A-Za-z_][\w-]{0,63}):(?:\*|[A-Za-z_][\w.-]{0,63}):)(?=[^\s:/]{0,200}[\dA-Z@#$%^&*+=~!?])[^\s:/]{4,200}$/gm,
  // PEM key in base64, as in kubeconfig ("-----BEGIN "), except certificates and public keys
  /LS0tLS1CRUdJTiB(?!DRVJUSUZJQ0FUR|QVUJMSUMg|DRVJU)[A-Za-z0-9+/]{30,40000}={0,2}/g,
  /(?<kept>^[ \t>]{0,8}(?:requirepass|masterauth)[ \t]{1,4}["']?)(?=\S{0,200}\d)[^\s"']{4,200}/gm,
  /(?<kept>\bredis-cli\b[^\n]{0,200}?\s(?:-a|--pass)[ =]["']?)(?=\S{0,200}\d)[^\s"'$<-][^\s"']{3,200}/g,
  /(?<kept>\b(?:jdbc:oracle:(?:thin|oci):|sqlplus\s{1,4}(?:-\w\s{1,4}){0,2})[\w$#.-]{1,64}\/)[^\s@/"']{3,200}(?=@)/gi,
  // "name:password" in base64: .npmrc and Docker
  /(?<kept>(?:(?<![\w-])_auth[ \t]?=[ \t]?|"auth"[ \t]?:\s?)["']?)(?=[A-Za-z+/]{0,400}[\d=])[A-Za-z0-9+/]{12,2000}={0,2}/g,
  // DB_PASS=…, "smtpPass": "…", auth: { user: "…", pass: "…" }; names of tests and drawings end alike
  /(?<kept>(?<![A-Za-z0-9])(?:db|database|smtp|mail|email|imap|user|usr|admin|root|redis|mysql|pg|postgres|mongo|rabbit|amqp|s?ftp|ssh|http|proxy|auth|login|wifi|ldap|api|app|basic|sudo|vpn|key|keystore|cert)(?:[_-]pass|_PASS|Pass)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)(?![^\s"']{0,200}\()[^\s"'$<{,;][^\s"',;]{3,200}/gi,
  /(?<kept>\b[A-Z][A-Z0-9_]{0,60}_PASS=["']?)(?=[^\s"']{0,200}\d)(?=[^\s"']{0,200}[A-Za-z])[^\s"'$<{(,;][^\s"',;()]{3,200}/g,
  /(?<kept>\b(?:user(?:name)?|login|email)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[^\s"',;]{1,100}["']?[\s,]{1,20}["']?pass["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)(?![^\s"']{0,200}\()[^\s"'$<{,;][^\s"',;]{3,200}/gi,
  /(?<kept>(?<![\w-])pw["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)(?=[^\s"']{0,200}\d)(?=[^\s"']{0,200}[A-Za-z@#$%!])[^\s"'$<{(,;][^\s"',;()]{3,200}/gi,
  // session cookies, anywhere in a text
  /(?<kept>\b(?:connect\.sid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{8}|laravel_session|_?session_?id|remember_(?:me|token)|__(?:Secure|Host)-[\w.-]{1,60})=)(?=[\w.~%+/-]{0,400}\d)[\w.~%+/-]{12,4000}={0,2}/gi,
];

/** Placeholders of examples, and dots of a file name. */
const OPEN = /^(?:[*x.]+|<.*|\$.*|\{.*|password|passwd|secret|changeme|true|false|none|null)$/i;

export const credentialFiles: Detector = {
  category: 'secrets',
  find(text) {
    const all: TextSpan[] = [];
    let left = text;
    for (const pattern of PATTERNS) {
      const spans = matches(left, pattern).filter(({ from, to }) => {
        const value = left.slice(from, to);
        return !value.includes('•') && !OPEN.test(value);
      });
      all.push(...spans);
      left = masked(left, spans);
    }
    return all.sort((one, other) => one.from - other.from);
  },
};
