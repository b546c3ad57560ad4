// Where the parts of a film come from: the page itself, or the server of the page.

function partsOf(figure) {
  if ("served" in figure.dataset) {
    const get = async (name) => {
      const answer = await fetch(name);
      if (!answer.ok) throw new Error(await answer.text());
      return answer;
    };
    return {
      description: async () => (await get("film")).json(),
      bytes: async (name) => (await get(name)).arrayBuffer(),
    };
  }
  const text = (name) => figure.querySelector(`script[data-part="${name}"]`).textContent;
  return {
    description: async () => JSON.parse(text("film")),
    bytes: async (name) => bytesOf(text(name)),
  };
}

// The bytes that base64 text stands for.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text).buffer;
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}
