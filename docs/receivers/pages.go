package main

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBodyBytes = 16 * 1024 * 1024
const testID = "7e57da7a-0000-4000-8000-000000000000"

var feeds = map[string]string{"captures.page": "captures", "changes.page": "changes"}

var timePart = regexp.MustCompile("^t=[0-9]{1,12}$")

func verifies(secret, header string, body []byte) bool {
	parts := strings.Split(header, ",")
	if !timePart.MatchString(parts[0]) {
		return false
	}
	t := parts[0][2:]
	seconds, _ := strconv.ParseInt(t, 10, 64)
	if age := time.Now().Unix() - seconds; age < -300 || age > 300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	return slices.ContainsFunc(parts, func(part string) bool { return hmac.Equal([]byte(part), expected) })
}

// The pages, one a line, and the place: how many bytes of them count, and the cursors.
type store struct {
	mutex   sync.Mutex
	pages   *os.File
	bytes   int64
	cursors map[string]string
}

const none = "-"

func open() (*store, error) {
	pages, err := os.OpenFile("pages.jsonl", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	opened := &store{pages: pages, cursors: map[string]string{"captures": none, "changes": none}}
	place, err := os.ReadFile("pages.place")
	if errors.Is(err, fs.ErrNotExist) {
		return opened, nil
	}
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(string(place)), none, none)
	opened.cursors["captures"], opened.cursors["changes"] = words[1], words[2]
	opened.bytes, err = strconv.ParseInt(words[0], 10, 64)
	return opened, err
}

// Appends the page, then renames the place into effect: both or neither. Returns the status to answer with.
func (s *store) add(feed string, data json.RawMessage) (int, error) {
	var page struct {
		After             *string
		Captures, Changes []json.RawMessage
		PageInfo          struct{ EndCursor string }
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return 0, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	end := page.PageInfo.EndCursor
	if s.cursors[feed] == end {
		return http.StatusNoContent, nil // stored before
	}
	if s.cursors[feed] != none && (page.After == nil || *page.After != s.cursors[feed]) {
		return http.StatusConflict, nil // a gap
	}
	if err := s.pages.Truncate(s.bytes); err != nil { // a page that was not finished
		return 0, err
	}
	if err := writeAndSync(s.pages, string(data)+"\n"); err != nil {
		return 0, err
	}
	next := maps.Clone(s.cursors)
	next[feed] = end
	size := s.bytes + int64(len(data)) + 1
	if err := replace("pages.place", fmt.Sprintf("%d %s %s", size, next["captures"], next["changes"])); err != nil {
		return 0, err
	}
	s.bytes, s.cursors = size, next
	fmt.Println("stored", len(page.Captures)+len(page.Changes), feed, "up to", end)
	return http.StatusNoContent, nil
}

func writeAndSync(file *os.File, text string) error {
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	return file.Sync()
}

func replace(name, text string) error {
	fresh, err := os.Create("pages.new")
	if err != nil {
		return err
	}
	defer fresh.Close()
	if err := writeAndSync(fresh, text); err != nil {
		return err
	}
	if err := os.Rename("pages.new", name); err != nil {
		return err
	}
	folder, err := os.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func (s *store) receive(body []byte) (int, error) {
	var webhook struct {
		Event string
		Data  json.RawMessage
	}
	if err := json.Unmarshal(body, &webhook); err != nil {
		return 0, err
	}
	if feed, isPage := feeds[webhook.Event]; isPage {
		return s.add(feed, webhook.Data)
	}
	var data struct{ ID string }
	if json.Unmarshal(webhook.Data, &data) == nil && data.ID == testID {
		return http.StatusNoContent, nil
	}
	return http.StatusBadRequest, nil
}

// Only of a body that is genuine.
func inflated(request *http.Request, body []byte) ([]byte, error) {
	if request.Header.Get("content-encoding") != "gzip" {
		return body, nil
	}
	text, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}

func main() {
	secret := os.Getenv("SIGNING_SECRET")
	if secret == "" {
		log.Fatal("SIGNING_SECRET is not set")
	}
	opened, err := open()
	if err != nil {
		log.Fatal(err)
	}
	receive := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(io.LimitReader(request.Body, maxBodyBytes))
		if err != nil || !verifies(secret, request.Header.Get("x-service-signature"), body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		status := 0
		if body, err = inflated(request, body); err == nil {
			status, err = opened.receive(body)
		}
		if err != nil {
			log.Print(err) // a full disk, for example
			status = http.StatusServiceUnavailable
		}
		response.WriteHeader(status)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
