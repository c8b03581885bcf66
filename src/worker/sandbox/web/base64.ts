// `atob` and `btoa` of a program. The text of this function is evaluated in the compartment of each job that
// asks for them: it uses nothing but the language.

export function makeBase64() {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

  function wrong(message: string): Error {
    const error = new Error(message);
    error.name = 'InvalidCharacterError';
    return error;
  }

  function btoa(input: unknown): string {
    const text = String(input);
    const parts: string[] = [];
    for (let at = 0; at < text.length; at += 3) {
      let bits = 0;
      for (let next = 0; next < 3; next++) {
        const unit = text.charCodeAt(at + next);
        if (unit > 0xff) throw wrong('btoa takes characters up to U+00FF: encode the text first');
        bits = (bits << 8) | (unit || 0);
      }
      const known = Math.min(3, text.length - at) + 1;
      for (let place = 0; place < 4; place++) {
        parts.push(place < known ? alphabet.charAt((bits >> (18 - 6 * place)) & 0x3f) : '=');
      }
    }
    return parts.join('');
  }

  function atob(input: unknown): string {
    let text = String(input).replace(/[\t\n\f\r ]/g, '');
    if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '');
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) {
      throw wrong('atob was given a text that is not base64');
    }
    const parts: string[] = [];
    let bits = 0;
    let known = 0;
    for (const character of text) {
      bits = ((bits << 6) | alphabet.indexOf(character)) & 0xffff;
      known += 6;
      if (known < 8) continue;
      known -= 8;
      parts.push(String.fromCharCode((bits >> known) & 0xff));
    }
    return parts.join('');
  }

  return { atob, btoa };
}
